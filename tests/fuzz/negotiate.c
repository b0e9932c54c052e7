/* Content negotiation: whatever Accept and Accept-Encoding say, the answer is a type that fits the format, and upper and
 * lower case are the same. The input is both headers, with a byte 0xff between them. */
#include "serve/negotiate.h"

#include "fuzz.h"

#include <ctype.h>

static bool is_of(const struct negotiated *answer)
{
	static const char *const begins[FORMATS][2] = {
		[FORMAT_TEXT] = {"text/plain; version=0.0.4; charset=utf-8",
				 "text/plain; version=1.0.0; charset=utf-8"},
		[FORMAT_OPENMETRICS] = {"application/openmetrics-text; version=1.0.0; charset=utf-8"},
		[FORMAT_PROTOBUF] = {"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
				     "encoding=delimited"},
	};
	for (int i = 0; i < 2 && begins[answer->format][i]; i++) {
		size_t len = strlen(begins[answer->format][i]);
		const char *rest = answer->type + len;
		if (strncmp(answer->type, begins[answer->format][i], len) == 0)
			return !*rest || strncmp(rest, "; escaping=", 11) == 0;
	}
	return false;
}

static char *header_of(struct text text, bool is_upper)
{
	char *header = malloc(text.len + 1);
	REQUIRE(header);
	for (size_t i = 0; i < text.len; i++)
		header[i] = (char)(is_upper ? toupper((unsigned char)text.bytes[i]) : text.bytes[i]);
	header[text.len] = '\0';
	return header;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	struct text accept = input_text(&input), encoding = input_rest(&input);
	struct negotiated answers[2];
	bool is_gzip[2];
	for (int upper = 0; upper < 2; upper++) {
		char *header = header_of(accept, upper), *other = header_of(encoding, upper);
		answers[upper] = negotiate(header);
		is_gzip[upper] = negotiate_gzip(other);
		free(header);
		free(other);
		REQUIRE(is_of(&answers[upper]));
	}
	REQUIRE(answers[0].type == answers[1].type && is_gzip[0] == is_gzip[1]);
	return 0;
}
