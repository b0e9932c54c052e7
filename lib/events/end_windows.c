#include "events/end_windows.h"

enum {
	/* slurmctld queues a record while it holds the lock under which it ends the job. That is at most seconds after
	 * the end, and slurmdbd may commit some seconds later (CommitDelay). */
	HANDED_OVER_S = 60,
	ORDER_S = 10, /* by this much records may be out of the order of their ends */
	QUIET_OVERLAP_S = 600, /* is read again where few end */
	SPAN_MIN_S = 10, /* slurmdbd reports ends in whole seconds */
	/* At the start nobody knows how many jobs end in a window. The first window was half an hour once: at 1,500
	 * ends a second that is 2.7 million runs in one answer. Beginning with a minute, a quiet day takes 11 windows. */
	SPAN_FIRST_S = 60,
	SPAN_MAX_S = 7 * 86400, /* where nothing ends for long: doubling must stop, as the first storm after it pays */
	RUNS_FEW = 300, /* an answer with more is of a time when many end */
	/* A window is halved above it, and doubled below half of it. A run costs 0.5 ms of slurmrestd and 5 kB, so an
	 * answer takes 0.7 to 1.5 s where many end. */
	RUNS_MANY = 3000,
	/* Only a queue shorter than this tells by its length how many records left it. slurmctld may drop records of a long
	 * one (it keeps at least 10,000), and a record that was dropped was not handed over. */
	QUEUE_SHORT = 1000,
	RECORDS_A_RUN = 2, /* that slurmctld hands over, at least: its start and its end */
};

void end_windows_init(struct end_windows *windows, int64_t known_until)
{
	*windows = (struct end_windows){.known_until = known_until,
					.told_until = known_until,
					.delivered_until = known_until,
					.marked = known_until,
					.span = SPAN_FIRST_S};
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
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
	windows->delivered_until = latest(windows->delivered_until, waiting ? windows->marked : then);
	windows->marked = then;
	windows->marked_ahead = waiting;
}

/* While slurmctld cannot reach slurmdbd, windows are empty. Then all that waited comes at once. Before this rule empty
 * windows grew, and one answer had the 144,000 runs of an hour. */
static bool do_many_wait(const struct end_windows *windows)
{
	return windows->waiting > RUNS_MANY;
}

static void open_pass(struct end_windows *windows, int64_t now, int64_t settled)
{
	windows->at = windows->known_until;
	windows->pass_to = latest(windows->at, windows->is_busy ? least(settled, now) : now);
	if (!do_many_wait(windows))
		return;
	int64_t ending = (int64_t)windows->waiting / RECORDS_A_RUN;
	int64_t fitting = (windows->pass_to - windows->at) * RUNS_MANY / ending;
	windows->span = least(windows->span, latest(fitting, SPAN_MIN_S));
}

struct end_window end_windows_next(struct end_windows *windows, int64_t now, int64_t settled)
{
	/* A pass of several windows goes on to the present. Else it would end behind it, and the budget be unspent until the
	 * next. */
	if (!windows->pass_to)
		open_pass(windows, now, settled);
	else
		windows->pass_to = latest(windows->pass_to, least(settled, now));
	return (struct end_window){windows->at, least(windows->at + windows->span, windows->pass_to)};
}

/* A window that the present cuts short, and that has few ends, says nothing of a longer one. Before this rule quiet
 * windows grew until one spanned a week, and a storm of ends then made an answer of 39,000 runs. */
static void fit_span(struct end_windows *windows, struct end_window window, uint64_t runs)
{
	bool is_whole = window.last - window.first >= windows->span;
	if (runs > RUNS_MANY && windows->span > SPAN_MIN_S)
		windows->span /= 2;
	else if (runs < RUNS_MANY / 2 && is_whole && windows->span < SPAN_MAX_S && !do_many_wait(windows))
		windows->span *= 2;
}

/* Until when the window has all ends. It was asked for after delivered_until was learnt. */
static int64_t told_by(const struct end_windows *windows, struct end_window window, const struct end_answer *answer)
{
	int64_t overlap = least(ORDER_S, windows->span / 3);
	int64_t until = latest(windows->delivered_until - HANDED_OVER_S, answer->newest ? answer->newest - overlap : 0);
	return least(until, window.last + 1);
}

/* Where few jobs end, slurmscope reads more again than the order of records requires. Some records have ends that are
 * older than their turn, or were not complete yet. */
static int64_t quiet_from(struct end_window window, const struct end_answer *answer)
{
	return latest(window.last - QUIET_OVERLAP_S, answer->recent);
}

/* A window that began later than told_until says nothing of the ends between. */
bool end_windows_note(struct end_windows *windows, struct end_window window, const struct end_answer *answer)
{
	int64_t told = told_by(windows, window, answer);
	bool is_end = window.last >= windows->pass_to;
	fit_span(windows, window, answer->runs);
	windows->is_busy = answer->runs > RUNS_FEW;
	windows->at = window.last + 1;
	if (window.first <= windows->told_until && told > windows->told_until)
		windows->told_until = told;
	if (is_end) {
		windows->pass_to = 0;
		told = least(windows->told_until, quiet_from(window, answer));
		windows->known_until = latest(windows->known_until, told);
		return false;
	}
	windows->known_until = latest(windows->known_until, least(windows->told_until, window.last + 1));
	if (windows->known_until > window.first)
		windows->at = windows->known_until; /* what follows may have come too late for this window */
	return true;
}

int64_t end_windows_behind(const struct end_windows *windows)
{
	return windows->pass_to ? windows->span : 0;
}

void end_windows_note_failure(struct end_windows *windows)
{
	if (windows->span > SPAN_MIN_S)
		windows->span /= 2;
}
