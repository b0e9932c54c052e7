#include "events/end_windows.h"

enum {
	SHORT_OVERLAP_S = 60,  /* a record is written some seconds after the end */
	SWEEP_OVERLAP_S = 600, /* and some minutes after it when slurmdbd is busy */
	SWEEP_EVERY = 20,
	SPAN_MIN_S = 10,
	SPAN_FIRST_S = 60, /* how much ends in it is not known yet: it doubles soon where that is little */
	SPAN_MAX_S = 7 * 86400,
	RUNS_FEW = 300, /* of 0.5 ms of slurmrestd and 5 kB each */
	RUNS_MANY = 2000,
};

void end_windows_init(struct end_windows *windows, int64_t known_until, int64_t interval)
{
	*windows = (struct end_windows){.known_until = known_until,
					.delivered_until = known_until,
					.asked_until = known_until,
					.span = SPAN_FIRST_S,
					.sweep_every = interval * SWEEP_EVERY};
}

void end_windows_note_queue(struct end_windows *windows, int64_t then, uint64_t waiting)
{
	if (!waiting && then > windows->delivered_until)
		windows->delivered_until = then;
}

struct end_window end_windows_next(struct end_windows *windows, int64_t now)
{
	if (!windows->sweep_to && now >= windows->next_sweep) {
		windows->sweep_from = windows->known_until;
		windows->sweep_to = now;
		windows->sweep_knows = now < windows->delivered_until ? now : windows->delivered_until;
	}
	bool is_sweep = windows->sweep_to != 0;
	int64_t from = is_sweep ? windows->sweep_from : windows->asked_until;
	int64_t last = from + windows->span, end = is_sweep ? windows->sweep_to : now;
	return (struct end_window){is_sweep ? from : from - SHORT_OVERLAP_S, last < end ? last : end,
				   is_sweep};
}

static void end_sweep(struct end_windows *windows, int64_t now)
{
	int64_t known = windows->sweep_knows - SWEEP_OVERLAP_S;
	if (known > windows->known_until)
		windows->known_until = known;
	windows->sweep_to = 0;
	windows->next_sweep = now + windows->sweep_every;
}

/* That little ended in a window that was cut short tells nothing of a longer one. */
static void fit_span(struct end_windows *windows, struct end_window window, uint64_t runs)
{
	bool is_whole = window.last - window.first >= windows->span;
	if (runs > RUNS_MANY && windows->span > SPAN_MIN_S)
		windows->span /= 2;
	else if (runs < RUNS_FEW && is_whole && windows->span < SPAN_MAX_S)
		windows->span *= 2;
}

bool end_windows_note(struct end_windows *windows, struct end_window window, int64_t now,
		      uint64_t runs)
{
	if (window.last > windows->asked_until)
		windows->asked_until = window.last;
	fit_span(windows, window, runs);
	if (!window.is_sweep)
		return window.last < now;
	windows->sweep_from = window.last + 1;
	if (window.last < windows->sweep_to)
		return true;
	end_sweep(windows, now);
	return false;
}

void end_windows_note_failure(struct end_windows *windows)
{
	if (windows->span > SPAN_MIN_S)
		windows->span /= 2;
}
