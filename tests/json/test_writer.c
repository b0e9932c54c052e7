/* What is written, and that the reader takes it. */
#include "check.h"
#include "json/writer.h"
#include "transcript.h"

#include <math.h>

static void test_members(void)
{
	struct buf out = BUF_INIT, events = BUF_INIT;
	struct json_writer writer = {.out = &out};
	const struct run run = {.limits = JSON_LIMITS_DEFAULT, .paths = (const char *const[]){"a[]", NULL}};
	struct error err = {"none"};
	writer_open(&writer, NULL, '{');
	writer_open(&writer, "empty", '{');
	writer_close(&writer, '}');
	writer_open(&writer, "a", '[');
	writer_number(&writer, NULL, 1795209484.125);
	writer_number(&writer, NULL, -0.1);
	writer_number(&writer, NULL, INFINITY);
	writer_number(&writer, NULL, -INFINITY);
	writer_number(&writer, NULL, NAN);
	writer_integer(&writer, NULL, UINT64_MAX);
	writer_string(&writer, NULL, "\"\n\x7f\xc3\xa9\xff");
	writer_string(&writer, NULL, NULL);
	writer_open(&writer, NULL, '[');
	writer_close(&writer, ']');
	writer_close(&writer, ']');
	writer_bool(&writer, "yes", true);
	writer_bool(&writer, "a\"b", false);
	writer_close(&writer, '}');
	check_row("members");
	CHECK_STRING(out.bytes, "{\"empty\":{},\"a\":[1795209484.125,-0.1,null,null,null,18446744073709551615,"
				"\"\\\"\\u000a\\u007f\xc3\xa9\xef\xbf\xbd\",null,[]],\"yes\":true,\"a\\\"b\":false}");
	CHECK(transcript(&run, buf_text(&out), &events, &err));
	CHECK_STRING(err.text, "none");
	buf_done(&out);
	buf_done(&events);
}

int main(void)
{
	test_members();
	return check_done();
}
