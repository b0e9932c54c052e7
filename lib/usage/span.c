#include "usage/span.h"

#include "base/text.h"

#include <time.h>

/* False if there is no such day or hour, as 30 February, which mktime() would take for another one. */
static bool to_unix(struct tm broken, bool is_utc, int64_t *ret_time)
{
	struct tm asked = broken;
	broken.tm_isdst = -1;
	time_t time = is_utc ? timegm(&broken) : mktime(&broken);
	*ret_time = time;
	return time != (time_t)-1 && broken.tm_mon == asked.tm_mon && broken.tm_min == asked.tm_min &&
	       broken.tm_sec == asked.tm_sec;
}

bool span_time(const char *text, int64_t *ret_time, struct error *err)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};
	uint64_t seconds;
	if (*text == '@' && text_to_u64(text_of(text + 1), &seconds) && seconds <= INT32_MAX * UINT64_C(100)) {
		*ret_time = (int64_t)seconds;
		return true;
	}
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct tm broken = {0};
		const char *end = strptime(text, formats[i], &broken);
		bool is_utc = end && strcmp(end, "Z") == 0;
		if (end && (is_utc || !*end) && to_unix(broken, is_utc, ret_time))
			return true;
	}
	return error_set(err, "%s: not a time such as 2026-11-01, 2026-11-01T08:30 or @1793491200", text);
}

static bool month_begin(int year, int month, int64_t *ret_time)
{
	struct tm broken = {.tm_year = year + month / 12, .tm_mon = month % 12, .tm_mday = 1};
	return to_unix(broken, false, ret_time);
}

bool span_month(const char *text, int64_t now, int64_t *ret_from, int64_t *ret_to, struct error *err)
{
	time_t present = now;
	struct tm broken = {0};
	bool is_last = strcmp(text, "last") == 0;
	if (is_last || strcmp(text, "this") == 0) {
		localtime_r(&present, &broken);
		if (is_last && broken.tm_mon-- == 0) {
			broken.tm_mon = 11;
			broken.tm_year--;
		}
	} else {
		const char *end = strptime(text, "%Y-%m", &broken);
		if (!end || *end)
			return error_set(err, "%s: not a month such as 2026-11, nor \"last\" or \"this\"", text);
	}
	if (!month_begin(broken.tm_year, broken.tm_mon, ret_from) ||
	    !month_begin(broken.tm_year, broken.tm_mon + 1, ret_to))
		return error_set(err, "%s: there is no such month", text);
	if (*ret_from < now && now < *ret_to)
		*ret_to = now;
	return true;
}
