#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	struct error old = *err;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", old.text);
	return false;
}
