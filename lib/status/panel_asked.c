#include "base/words.h"
#include "status/frame.h"
#include "status/html.h"
#include "status/panels.h"

#include <stdlib.h>

enum { NEXT_SHOWN = 3 };
#define AT_ONCE_S 0.5

static const struct status_endpoint *endpoint_of(const struct status *status, const struct status_task *task)
{
	for (size_t i = 0; i < status->endpoint_count; i++)
		if (strcmp(status->endpoints[i].name, task->endpoint) == 0)
			return &status->endpoints[i];
	return NULL;
}

static int compare_due(const void *a, const void *b)
{
	double left = (*(const struct status_task *const *)a)->due,
	       right = (*(const struct status_task *const *)b)->due;
	return (left > right) - (left < right);
}

static void say_next(const struct status *status, double now, struct buf *out)
{
	const struct status_task **due = malloc((status->task_count + 1) * sizeof *due);
	size_t count = 0;
	for (size_t i = 0; due && i < status->task_count; i++)
		if (status->tasks[i].due && status->tasks[i].name != status->asking)
			due[count++] = &status->tasks[i];
	if (count)
		qsort(due, count, sizeof *due, compare_due);
	HTML(out, "<p>As of % ago: ", words_seconds(now - status->made).text);
	if (status->asking)
		HTML(out, "<strong>%</strong> is asked.", status->asking);
	else
		buf_add_string(out, "nothing is asked.");
	for (size_t i = 0; i < count && i < NEXT_SHOWN; i++) {
		double in_s = due[i]->due - status->made;
		bool is_now = in_s < AT_ONCE_S;
		HTML(out, i ? ", then <strong>%</strong> %" : " Next: <strong>%</strong> %", due[i]->name,
		     is_now ? "at once" : "in ");
		if (!is_now)
			buf_add_string(out, words_seconds(in_s).text);
	}
	buf_add_string(out, count ? ".</p>\n" : "</p>\n");
	free(due);
}

static void say_standing(const struct status_task *task, const struct status_endpoint *endpoint, struct buf *out)
{
	static const enum severity severities[STANDINGS] = {
		[STANDING_NOT_ASKED] = SEVERITY_UNKNOWN, [STANDING_UP] = SEVERITY_NONE, [STANDING_DOWN] = SEVERITY_BAD};
	static const char *const words[STANDINGS] = {
		[STANDING_NOT_ASKED] = "not asked yet", [STANDING_UP] = "up", [STANDING_DOWN] = "down"};
	if (!task->has_work && endpoint->standing != STANDING_DOWN)
		buf_add_string(out, "<span class=\"none\">nothing to do</span>");
	else if (words[endpoint->standing])
		frame_sign(severities[endpoint->standing], words[endpoint->standing], out);
}

static void say_notes(const struct status_task *task, const struct status_endpoint *endpoint, double now,
		      struct buf *out)
{
	if (task->has_work && !task->is_on_target)
		HTML(out, "<p class=\"note\">%.</p>", task->text);
	if (endpoint->failing_since && endpoint->error)
		HTML(out, "<p class=\"note bad\">Failing for %: %</p>",
		     words_seconds(now - endpoint->failing_since).text, endpoint->error);
	else if (endpoint->error && endpoint->standing == STANDING_UP)
		HTML(out, "<p class=\"note\">Failed last % ago: %</p>", words_seconds(now - endpoint->error_time).text,
		     endpoint->error);
}

static void say_task(const struct status_task *task, const struct status_endpoint *endpoint, double now,
		     struct buf *out)
{
	HTML(out, "<tr><th scope=\"row\">% <small>%</small></th><td>", task->name, task->about);
	say_standing(task, endpoint, out);
	HTML(out, "</td><td class=\"number\">%</td><td class=\"number\">%",
	     task->fresh ? words_seconds(now - task->fresh).text : "–",
	     task->has_work ? words_seconds(task->interval_s).text : "–");
	if (task->has_work && !task->is_on_target)
		HTML(out, " <small>target %</small>", words_seconds(task->target_s).text);
	buf_add_string(out, "</td></tr>\n");
	struct buf notes = BUF_INIT;
	say_notes(task, endpoint, now, &notes);
	if (notes.len) {
		buf_add_string(out, "<tr class=\"notes\"><td colspan=\"4\">");
		buf_add_text(out, buf_text(&notes));
		buf_add_string(out, "</td></tr>\n");
	}
	buf_done(&notes);
}

/* Names of what is not asked, after a word why. */
static void say_left_out(const struct status *status, enum standing standing, const char *why, struct buf *out)
{
	bool is_first = true;
	for (size_t i = 0; i < status->task_count; i++) {
		const struct status_task *task = &status->tasks[i];
		const struct status_endpoint *endpoint = endpoint_of(status, task);
		bool is_due_to_it =
			endpoint->standing == STANDING_NOT_SERVED || endpoint->standing == STANDING_NOT_ALLOWED;
		if (task->is_allowed || (is_due_to_it ? endpoint->standing : STANDING_UP) != standing)
			continue;
		HTML(out, is_first ? "<p class=\"more\">%: %" : "%%", is_first ? why : ", ", task->name);
		is_first = false;
	}
	buf_add_string(out, is_first ? "" : ".</p>\n");
}

static void say_sentences(const char *sentences, struct buf *out)
{
	struct text rest = text_of(sentences), line;
	while (text_next(&rest, '\n', &line)) {
		char room[400];
		text_to_string(line, room, sizeof room);
		HTML(out, "<li>%</li>", room);
	}
}

void panel_asked(const struct status *status, double now, struct buf *out)
{
	frame_section("asked", "What is asked", out);
	say_next(status, now, out);
	buf_add_string(out, "<table class=\"tasks\"><thead><tr><th scope=\"col\">What</th><th scope=\"col\">Answer</th>"
			    "<th scope=\"col\" class=\"number\">Age</th><th scope=\"col\" class=\"number\">Every</th>"
			    "</tr></thead><tbody>\n");
	for (size_t i = 0; i < status->task_count; i++)
		if (status->tasks[i].is_allowed)
			say_task(&status->tasks[i], endpoint_of(status, &status->tasks[i]), now, out);
	buf_add_string(out, "</tbody></table>\n");
	say_left_out(status, STANDING_NOT_SERVED, "Not served here", out);
	say_left_out(status, STANDING_NOT_ALLOWED, "Not for the token’s user to see", out);
	say_left_out(status, STANDING_UP, "Not asked: switched off, or done in another way here", out);
	buf_add_string(out, "<ul class=\"sentences\">");
	say_sentences(status->jobs_text, out);
	say_sentences(status->budgets_text, out);
	buf_add_string(out, "</ul>\n</section>\n");
}
