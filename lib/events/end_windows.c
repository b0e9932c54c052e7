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
	QUEUE_SHORT = 1000, /* a longer one may lose records that are not handed over: slurmctld keeps 10,000 at least */
	STUCK_S = 86400,
};

void end_windows_init(struct end_windows *windows, int64_t known_until, int64_t interval)
{
	*windows = (struct end_windows){.known_until = known_until,
					.delivered_until = known_until,
					.marked = known_until,
					.asked_until = known_until,
					.span = SPAN_FIRST_S,
					.short_every = interval,
					.sweep_every = interval * SWEEP_EVERY};
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void mark(struct end_windows *windows, int64_t then)
{
	windows->marked = then;
	windows->marked_ahead = windows->waiting;
	windows->marked_answers = 0;
}

void end_windows_note_queue(struct end_windows *windows, int64_t then, uint64_t waiting)
{
	uint64_t before = windows->waiting, left = before > waiting && before < QUEUE_SHORT ? before - waiting : 0;
	if (then <= windows->queue_seen)
		return;
	windows->queue_seen = then;
	windows->waiting = waiting;
	windows->marked_ahead -= left < windows->marked_ahead ? left : windows->marked_ahead;
	if (waiting && windows->marked_ahead)
		return;
	int64_t delivered = waiting ? windows->marked : then;
	if (delivered > windows->delivered_until)
		windows->delivered_until = delivered;
	mark(windows, then);
}

/* A queue that got longer is one that slurmctld cannot hand over: it will come. */
static void note_answer(struct end_windows *windows, int64_t now)
{
	int64_t since = now > windows->answered ? now - windows->answered : 0;
	windows->answered = now;
	windows->marked_answers += least(since, SWEEP_OVERLAP_S); /* beyond that it was away */
	if (windows->marked_answers < STUCK_S)
		return;
	if (windows->waiting <= windows->marked_ahead && windows->marked > windows->delivered_until) {
		windows->delivered_until = windows->marked;
		windows->gave_up = true;
	}
	mark(windows, windows->queue_seen);
}

static void open_sweep(struct end_windows *windows, int64_t now)
{
	windows->sweep_from = least(windows->known_until, now);
	windows->sweep_to = now;
	windows->sweep_knows = least(now, windows->delivered_until);
	windows->next_short = now + windows->short_every;
}

/* The sweep is far behind what was asked for before it: what ends now is not to wait for it. */
static bool is_short_due(const struct end_windows *windows, int64_t now)
{
	return !windows->was_short && now >= windows->next_short &&
	       windows->asked_until > windows->sweep_from + windows->span;
}

struct end_window end_windows_next(struct end_windows *windows, int64_t now)
{
	windows->asked_until = least(windows->asked_until, now); /* clocks may be set back */
	windows->next_sweep = least(windows->next_sweep, now + windows->sweep_every);
	windows->next_short = least(windows->next_short, now + windows->short_every);
	windows->queue_seen = least(windows->queue_seen, now);
	if (!windows->sweep_to && now >= windows->next_sweep)
		open_sweep(windows, now);
	bool is_sweep = windows->sweep_to && !is_short_due(windows, now);
	int64_t from = is_sweep ? windows->sweep_from : windows->asked_until;
	int64_t last = from + windows->span, end = is_sweep ? windows->sweep_to : now;
	return (struct end_window){is_sweep ? from : from - SHORT_OVERLAP_S, least(last, end), is_sweep};
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
	note_answer(windows, now);
	windows->was_short = !window.is_sweep;
	if (!window.is_sweep) {
		windows->next_short = now + windows->short_every;
		return window.last < now || windows->sweep_to;
	}
	windows->sweep_from = window.last + 1;
	if (window.last < windows->sweep_to)
		return true;
	end_sweep(windows, now);
	return false;
}

void end_windows_note_failure(struct end_windows *windows)
{
	windows->was_short = true; /* one that ends in a storm may be too much as often as it is asked for */
	if (windows->span > SPAN_MIN_S)
		windows->span /= 2;
}
