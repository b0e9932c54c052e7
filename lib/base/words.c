#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define SAY(...)                                                                                                       \
	do {                                                                                                           \
		struct words words;                                                                                    \
		snprintf(words.text, sizeof words.text, __VA_ARGS__);                                                  \
		return words;                                                                                          \
	} while (0)

struct words words_number(uint64_t number)
{
	char digits[24];
	struct words words;
	char *to = words.text;
	size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return words;
}

struct words words_count(uint64_t number, const char *noun)
{
	SAY("%.26s %.10s%s", words_number(number).text, noun, number == 1 ? "" : "s");
}

struct words words_seconds(double seconds)
{
	if (seconds < 0.1)
		SAY("%.2g ms", fmax(seconds, 0) * 1e3);
	if (seconds < 9.95)
		SAY("%.2g s", seconds);
	if (seconds < 120)
		SAY("%.0f s", seconds);
	if (seconds < 7200)
		SAY("%.0f min", seconds / 60);
	if (seconds < 48 * 3600)
		SAY("%.0f h", seconds / 3600);
	SAY("%.0f d", seconds / 86400);
}

struct words words_bytes(double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	size_t unit = 0;
	while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
		bytes /= 1024;
		unit++;
	}
	SAY(bytes < 9.95 && unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

struct words words_share(double share)
{
	double percent = 100 * share;
	SAY(percent >= 9.95 || percent == 0 ? "%.0f %%" : percent >= 0.995 ? "%.1f %%" : "%.2f %%", percent);
}

struct words words_time(double unix_seconds)
{
	struct words words = {""};
	struct tm utc;
	time_t time = (time_t)unix_seconds;
	if (gmtime_r(&time, &utc))
		strftime(words.text, sizeof words.text, "%Y-%m-%d %H:%M:%S UTC", &utc);
	return words;
}
