#include "events/end_windows.h"

enum {
	SHORT_OVERLAP_S = 60, /* slurmdbd writes a record some seconds after the end */
	SWEEP_OVERLAP_S = 600, /* a busy slurmdbd writes it some minutes after the end */
	SWEEP_EVERY = 20, /* short windows for each sweep: at 30 s a late end is found within ten minutes */
	SPAN_MIN_S = 10, /* ends are told in whole seconds, and each window reads its overlap again */
	/* How much ends in it is not known at the start. The first window was half an hour once: at 1,500 ends a second that
	 * is 2.7 million runs in one answer. A quiet day takes 11 windows from a minute on. */
	SPAN_FIRST_S = 60,
	SPAN_MAX_S = 7 * 86400, /* where nothing ends for long: doubling must stop, as the first storm after it pays */
	/* A window is doubled below the one and halved above the other. A run costs 0.5 ms of slurmrestd and 5 kB, so an
	 * answer takes 0.15 to 1 s, as a rule. */
	RUNS_FEW = 300,
	RUNS_MANY = 2000,
	/* Only a queue shorter than this tells by its length how many records left it. slurmctld may drop records of a long
	 * one (it keeps at least 10,000), and a record that was dropped was not handed over. */
	QUEUE_SHORT = 1000,
	STUCK_S = 86400, /* of a queue that is never seen empty; slurmdbd must have answered for so long */
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

/* Gives up waiting for records that have been in the queue while slurmdbd answered for a day, or nothing would ever be
 * known. If the queue got longer meanwhile, slurmctld cannot hand it over now, and its records will come. */
static void note_answer(struct end_windows *windows, int64_t now)
{
	int64_t since = now > windows->answered ? now - windows->answered : 0;
	windows->answered = now;
	windows->marked_answers += least(since, SWEEP_OVERLAP_S); /* after a longer gap slurmdbd was away */
	if (windows->marked_answers < STUCK_S)
		return;
	if (windows->waiting <= windows->marked_ahead && windows->marked > windows->delivered_until) {
		windows->delivered_until = windows->marked;
		windows->gave_up = true;
	}
	mark(windows, windows->queue_seen);
}

/* A sweep knows no more than slurmctld had handed over when it began. Its queue may run empty during a sweep of several
 * windows, but those records come into windows that were read already. */
static void open_sweep(struct end_windows *windows, int64_t now)
{
	windows->sweep_from = least(windows->known_until, now);
	windows->sweep_to = now;
	windows->sweep_knows = least(now, windows->delivered_until);
	windows->next_short = now + windows->short_every;
}

/* A sweep that goes over what was read before may take long after a downtime. Jobs that end now must not wait for it. */
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

/* If little ended in a window that was cut short by the present, that tells nothing of a longer one. Before this rule
 * quiet windows grew until one spanned a week, and a storm of ends then made an answer of 39,000 runs. */
static void fit_span(struct end_windows *windows, struct end_window window, uint64_t runs)
{
	bool is_whole = window.last - window.first >= windows->span;
	if (runs > RUNS_MANY && windows->span > SPAN_MIN_S)
		windows->span /= 2;
	else if (runs < RUNS_FEW && is_whole && windows->span < SPAN_MAX_S)
		windows->span *= 2;
}

bool end_windows_note(struct end_windows *windows, struct end_window window, int64_t now, uint64_t runs)
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
	windows->was_short = true; /* the sweep is next: a short window in a storm of ends may fail each time */
	if (windows->span > SPAN_MIN_S)
		windows->span /= 2;
}
