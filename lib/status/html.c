#include "status/html.h"

#include "base/quote.h"

#include <stdlib.h>

/* The caller has to pass as many values as the form has %. */
void html_fill(struct buf *out, const char *form, const char *const *values)
{
	for (const char *next; (next = strchr(form, '%')); form = next + 1) {
		buf_add(out, form, (size_t)(next - form));
		if (!*values)
			abort();
		quote_html(out, text_of(*values++));
	}
	if (*values)
		abort();
	buf_add_string(out, form);
}

/* Attributes of SVG, for a style attribute is not allowed by the page's policy. */
void html_bar(struct buf *out, double whole, double used, double out_of_use)
{
	double scale = whole > 0 ? 100 / whole : 0;
	buf_printf(out,
		   "<svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
		   "<rect class=\"whole\" width=\"100\" height=\"4\"/>"
		   "<rect class=\"used\" width=\"%.4g\" height=\"4\"/>"
		   "<rect class=\"out\" x=\"%.4g\" width=\"%.4g\" height=\"4\"/></svg>",
		   used * scale, used * scale, out_of_use * scale);
}
