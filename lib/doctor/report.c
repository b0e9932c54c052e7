#include "doctor/report.h"

#include "base/buf.h"

static const char *const verdict_names[VERDICTS] = {
	[VERDICT_OK] = "ok", [VERDICT_WARN] = "warn", [VERDICT_FAIL] = "FAIL"};

void report(struct report *report, enum verdict verdict, const char *about, const char *advice, const char *format, ...)
{
	char text[1024];
	struct buf line = BUF_INIT;
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	buf_printf(&line, "%-4s  %-13s %s%s%s", verdict_names[verdict], about, text, advice ? " -> " : "",
		   advice ? advice : "");
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.bytes[i] < ' ' || line.bytes[i] == 0x7f)
			line.bytes[i] = '?';
	fprintf(report->out, "%s\n", line.bytes);
	fflush(report->out);
	buf_done(&line);
	report->counts[verdict]++;
}

void report_end(struct report *report)
{
	unsigned warnings = report->counts[VERDICT_WARN], failures = report->counts[VERDICT_FAIL];
	fprintf(report->out, "%u ok, %u warning%s, %u failure%s\n", report->counts[VERDICT_OK], warnings,
		warnings == 1 ? "" : "s", failures, failures == 1 ? "" : "s");
	fflush(report->out);
}
