/* Which windows of end times slurmdbd is asked for: that no end is ever passed over. */
#include "check.h"
#include "events/end_windows.h"

#include <stdlib.h>

enum { T = 1800000000, EVERY = 30, DAY = 86400, FIRST = 60 }; /* FIRST: seconds of a sweep's first window */

static struct end_window ask(struct end_windows *windows, int64_t now, uint64_t runs)
{
	struct end_window window = end_windows_next(windows, now);
	end_windows_note(windows, window, now, runs);
	return window;
}

static void takes_turns(void)
{
	struct end_windows windows;
	int sweeps = 0, gaps = 0;
	int64_t until = T;
	end_windows_init(&windows, T, EVERY);
	for (int64_t now = T; now < T + 3600; now += EVERY) {
		end_windows_note_queue(&windows, now, 0);
		struct end_window window;
		bool goes_on = false;
		do {
			window = end_windows_next(&windows, now);
			sweeps += window.is_sweep && !goes_on;
			gaps += window.first > until + 1;
			until = window.last;
			goes_on = end_windows_note(&windows, window, now, 5);
		} while (goes_on);
		gaps += until != now;
	}
	CHECK_NUMBER(sweeps, 6); /* every ten minutes */
	CHECK_NUMBER(gaps, 0);
	CHECK_NUMBER(windows.known_until, T + 3000 - 600);
}

static void sweeps_after_the_clock_was_set_back(void)
{
	for (int64_t back = 30; back <= 3000; back *= 10) {
		struct end_windows windows;
		int64_t now = T + 700;
		int sweeps = 0;
		end_windows_init(&windows, T, EVERY);
		while (windows.sweep_to || windows.next_sweep <= now)
			ask(&windows, now, 1);
		now -= back;
		for (int i = 0; i < 60; i++, now += EVERY)
			sweeps += ask(&windows, now, 1).is_sweep;
		CHECK(sweeps >= 2); /* in half an hour */
	}
}

static void a_day_away(void)
{
	struct end_windows windows;
	int64_t now = T + DAY;
	end_windows_init(&windows, T, EVERY);
	end_windows_note_queue(&windows, now, 0);
	struct end_window window = end_windows_next(&windows, now);
	CHECK_NUMBER(window.first, T);
	CHECK(window.last < now);
	int asked = 1;
	for (int64_t first = T; end_windows_note(&windows, window, now + asked, 1000); asked++) {
		CHECK(window.first == first && window.is_sweep);
		first = window.last + 1;
		window = end_windows_next(&windows, now + asked);
	}
	CHECK_NUMBER(asked, DAY / (FIRST + 1) + 1);
	CHECK_NUMBER(window.last, now);
	CHECK_NUMBER(windows.known_until, now - 600);
	CHECK(!end_windows_next(&windows, now + asked).is_sweep);
}

/* Where little happens a day takes few requests. */
static void a_quiet_day_away(void)
{
	struct end_windows windows;
	int asked = 0;
	end_windows_init(&windows, T, EVERY);
	do
		asked++;
	while (end_windows_note(&windows, end_windows_next(&windows, T + DAY), T + DAY, 1));
	CHECK(asked <= 12);
}

static void sizes(void)
{
	struct end_windows windows;
	int64_t now = T + 7 * DAY;
	end_windows_init(&windows, T, EVERY);
	CHECK_NUMBER(ask(&windows, now, 5000).last, T + FIRST);
	struct end_window window = ask(&windows, now, 1);
	CHECK_NUMBER(window.last - window.first, FIRST / 2);
	window = end_windows_next(&windows, now);
	CHECK_NUMBER(window.last - window.first, FIRST);
	end_windows_note_failure(&windows); /* bisects what was asked for, and goes on from there */
	struct end_window half = end_windows_next(&windows, now);
	CHECK(half.first == window.first && half.last - half.first == FIRST / 2);
	for (int i = 0; i < 100; i++)
		end_windows_note_failure(&windows);
	half = end_windows_next(&windows, now);
	CHECK(half.first == window.first && half.last > half.first && half.last - half.first <= 10);
}

/* Set back it asks for what there is by then, and goes on. */
static void clock_set_back(void)
{
	struct end_windows windows;
	for (int64_t back = 30; back <= 3000; back *= 10) {
		int64_t now = T + 700;
		end_windows_init(&windows, T, EVERY);
		end_windows_note_queue(&windows, now, 0);
		while (windows.sweep_to || windows.next_sweep <= now)
			ask(&windows, now, 1);
		ask(&windows, now, 1);
		now -= back;
		int64_t asked_until = 0;
		for (int i = 0; i < 100; i++, now += EVERY) {
			struct end_window window = ask(&windows, now, 1);
			CHECK(window.first <= window.last && window.last <= now);
			CHECK(window.is_sweep || window.first <= asked_until || !asked_until);
			asked_until = window.last;
		}
	}
}

static void ask_all(struct end_windows *windows, int64_t now)
{
	while (end_windows_note(windows, end_windows_next(windows, now), now, 1))
		continue;
}

/* What diag says by the clock that was set back is news. */
static void a_queue_after_a_clock_was_set_back(void)
{
	struct end_windows windows;
	int64_t now = T;
	end_windows_init(&windows, T, EVERY);
	for (; now < T + 7200; now += EVERY) {
		end_windows_note_queue(&windows, now, 5); /* slurmdbd takes none of them */
		ask_all(&windows, now);
	}
	CHECK(windows.known_until <= T);
	now -= 3000;
	ask_all(&windows, now);
	for (int i = 0; i < 22; i++) {
		end_windows_note_queue(&windows, now += EVERY, 0);
		ask_all(&windows, now);
	}
	CHECK(windows.known_until > now - 600 - 21 * EVERY && windows.known_until <= now - 600);
}

/* Asked for late, for want of budget, in a storm: no window has more than an answer may have; what was cut short
 * because it was asked for soon does not make later ones long. */
static void late_windows(void)
{
	struct end_windows windows;
	int64_t now = T;
	end_windows_init(&windows, T, EVERY);
	while (windows.sweep_to || windows.next_sweep <= now)
		ask(&windows, now, 1);
	for (int i = 0; i < 15; i++)
		ask(&windows, now += EVERY, 1);
	now += DAY;
	struct end_window window = end_windows_next(&windows, now);
	CHECK(window.is_sweep && window.last - window.first <= 4 * 600);

	check_row("no sweep due");
	end_windows_init(&windows, T, EVERY);
	while (windows.sweep_to || windows.next_sweep <= T)
		ask(&windows, T, 1);
	windows.span = FIRST;
	window = end_windows_next(&windows, T + 599);
	CHECK(!window.is_sweep && window.first == T - 60 && window.last == T + FIRST);
	CHECK(end_windows_note(&windows, window, T + 599, 5000));
	window = end_windows_next(&windows, T + 599);
	CHECK(window.first == T && window.last == T + FIRST + FIRST / 2);
	check_row(NULL);
}

/* Records that waited when a sweep began may lie where it has been already when they come. */
static void late_records(void)
{
	struct end_windows windows;
	end_windows_init(&windows, T, EVERY);
	end_windows_note_queue(&windows, T + 100, 0);
	end_windows_note_queue(&windows, T + DAY, 7);
	struct end_window window = end_windows_next(&windows, T + DAY);
	end_windows_note_queue(&windows, T + DAY + 1, 0);
	while (end_windows_note(&windows, window, T + DAY + 2, 1000))
		window = end_windows_next(&windows, T + DAY + 2);
	CHECK_NUMBER(windows.known_until, T); /* not beyond T + 100 - 600 */
	window = end_windows_next(&windows, T + DAY + 20 * EVERY + 2);
	CHECK(window.is_sweep && window.first == T);

	check_row("not known since the start");
	end_windows_init(&windows, T, EVERY);
	end_windows_note_queue(&windows, T + DAY, 7);
	ask(&windows, T + DAY, 0);
	while (windows.sweep_to)
		ask(&windows, T + DAY, 0);
	CHECK_NUMBER(windows.known_until, T);
	check_row(NULL);
}

struct watched {
	int64_t longest_wait; /* from an end to when it was asked for */
	int sweeps; /* that were finished */
};

/* Days with slurmdbd at hand: a window of so many runs every EVERY seconds, and if another is due at once after `gap`.
 * Diag tells of queue[0], then of queue[1], ... */
static struct watched watch(struct end_windows *windows, int64_t now, int64_t end, const uint64_t *queue,
			    size_t lengths, int64_t gap, uint64_t runs)
{
	struct watched watched = {0};
	int64_t told_until = now;
	for (size_t turn = 0; now < end; turn++) {
		int64_t next = now + EVERY;
		bool goes_on = true;
		end_windows_note_queue(windows, now, queue[turn % lengths]);
		while (goes_on && now < next) {
			struct end_window window = end_windows_next(windows, now);
			if (window.first <= told_until + 1 && window.last > told_until) {
				if (now - told_until > watched.longest_wait)
					watched.longest_wait = now - told_until;
				told_until = window.last;
			}
			goes_on = end_windows_note(windows, window, now, runs);
			watched.sweeps += window.is_sweep && !goes_on;
			now += gap;
		}
		now = now < next ? next : now;
	}
	return watched;
}

static void never_empty(void)
{
	static const struct {
		const char *name;
		uint64_t queue[4];
		size_t lengths;
		int64_t behind; /* known_until is, at most, after three days */
		bool gave_up;
	} rows[] = {
		{"empty", {0}, 1, 1800, false},
		{"a few, that come and go", {3, 1, 4, 2}, 4, 3600, false},
		{"always one", {1}, 1, 2 * DAY + 3600, true},
		{"always many", {5000}, 1, 2 * DAY + 3600, true},
		/* what falls may have been thrown away */
		{"many, more and less", {9000, 5000, 9000, 6000}, 4, 3 * DAY, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct end_windows windows;
		check_row(rows[i].name);
		end_windows_init(&windows, T, EVERY);
		struct watched watched = watch(&windows, T, T + 3 * DAY, rows[i].queue, rows[i].lengths, 1, 5);
		CHECK(windows.known_until > T && windows.known_until > T + 3 * DAY - rows[i].behind);
		CHECK(watched.sweeps > 200);
		CHECK(watched.longest_wait <= 2 * EVERY);
		CHECK_NUMBER(windows.gave_up, rows[i].gave_up);
	}
	check_row("longer and longer: slurmctld does not reach slurmdbd, which does answer");
	struct end_windows windows;
	uint64_t queue[3 * DAY / EVERY];
	for (size_t i = 0; i < sizeof queue / sizeof *queue; i++)
		queue[i] = 1 + i / 100;
	end_windows_init(&windows, T, EVERY);
	watch(&windows, T, T + 3 * DAY, queue, sizeof queue / sizeof *queue, 1, 5);
	CHECK_NUMBER(windows.known_until, T);
	CHECK(!windows.gave_up);
	check_row("slurmdbd is away for three days");
	end_windows_init(&windows, T, EVERY);
	end_windows_note_queue(&windows, T + 1, 900);
	for (int64_t now = T + 1; now < T + 3 * DAY; now += EVERY)
		end_windows_note_queue(&windows, now, 900);
	watch(&windows, T + 3 * DAY, T + 3 * DAY + 7200, (const uint64_t[]){900}, 1, 1, 5);
	CHECK_NUMBER(windows.known_until, T);
	check_row(NULL);
}

/* What ends while a sweep goes over days again is not told when it is done. */
static void long_sweeps(void)
{
	static const struct {
		const char *name;
		int64_t gap;
	} rows[] = {{"one a second", 1}, {"fewer than are wished", 2 * EVERY}};
	for (size_t i = 0; i < 2; i++) {
		struct end_windows windows;
		check_row(rows[i].name);
		end_windows_init(&windows, T, EVERY);
		watch(&windows, T, T + DAY / 2, (const uint64_t[]){1}, 1, 1, 5);
		windows.span = 600; /* from here on much ends, and a sweep takes some 70 windows, and more */
		struct watched watched =
			watch(&windows, T + DAY / 2, T + DAY, (const uint64_t[]){1}, 1, rows[i].gap, 1000);
		CHECK(watched.longest_wait <= 3 * rows[i].gap + 2 * EVERY);
		CHECK(watched.sweeps > 2);
	}
	check_row(NULL);
}

static void a_storm_before_a_sweep_ends(void)
{
	struct end_windows windows;
	int64_t now = T + DAY;
	int asked = 0;
	end_windows_init(&windows, T, EVERY);
	watch(&windows, T, now, (const uint64_t[]){1}, 1, 1, 5);
	windows.span = 600;
	now = windows.next_sweep;
	do { /* the short one is too much, again and again */
		struct end_window window = end_windows_next(&windows, now++);
		if (window.is_sweep)
			end_windows_note(&windows, window, now, 1000);
		else
			end_windows_note_failure(&windows);
	} while (windows.next_sweep <= now && asked++ < 20000);
	CHECK(asked < 20000);
}

/* The property: whatever the times, nothing that is not known ends before known_until, and in the end all is known. */

enum { RUNS = 400, AWAY_MAX = 12 };

struct life {
	uint64_t random;
	int64_t now, end;
	struct {
		int64_t from, to; /* slurmdbd takes no records, or does not answer either */
		bool answers;
	} away[AWAY_MAX];
	struct {
		int64_t end, told; /* slurmdbd knows it from then on */
		bool waited; /* in slurmctld's queue until then */
		bool is_known;
	} runs[RUNS];
	int64_t backlog; /* so many wait when slurmdbd is away, from one to so many when it is not */
	struct end_windows windows;
};

static int64_t below(struct life *life, int64_t limit)
{
	life->random = life->random * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((life->random >> 33) % (uint64_t)limit);
}

static void live_on(struct life *life, uint64_t seed)
{
	*life = (struct life){.random = seed, .now = T, .end = T + DAY / 4 + below(life, 4 * DAY)};
	for (int i = 0; i < AWAY_MAX; i++) {
		life->away[i].from = T + below(life, life->end - T);
		life->away[i].to = life->away[i].from + below(life, below(life, 3) ? 600 : DAY / 2);
		life->away[i].answers = below(life, 2);
	}
	int64_t storm = T + below(life, life->end - T);
	life->backlog = below(life, 2) ? 1 + below(life, 5) : 0;
	for (int i = 0; i < RUNS; i++) {
		int64_t end = below(life, 4) ? T + below(life, life->end - T) : storm + below(life, 20);
		life->runs[i].end = end;
		life->runs[i].told = end + below(life, below(life, 5) ? 5 : 500);
		for (int again = 0; again < AWAY_MAX; again++) /* they may overlap */
			for (int j = 0; j < AWAY_MAX; j++)
				if (life->away[j].from <= life->runs[i].told && life->runs[i].told < life->away[j].to) {
					int64_t waited = life->runs[i].told - life->away[j].from,
						away = life->away[j].to - life->away[j].from;
					life->runs[i].told = life->away[j].to + waited * 60 / away; /* in their turn */
					life->runs[i].waited = true;
				}
	}
}

static bool answers(const struct life *life)
{
	for (int i = 0; i < AWAY_MAX; i++)
		if (life->away[i].from <= life->now && life->now < life->away[i].to && !life->away[i].answers)
			return false;
	return true;
}

static bool is_away(const struct life *life)
{
	for (int i = 0; i < AWAY_MAX; i++)
		if (life->away[i].from <= life->now && life->now < life->away[i].to + 60)
			return true;
	return false;
}

static uint64_t waiting(struct life *life)
{
	bool is_still = life->backlog < 2 || is_away(life);
	uint64_t count = (uint64_t)(is_still ? life->backlog : 1 + below(life, life->backlog));
	for (int i = 0; i < RUNS; i++)
		count += life->runs[i].waited && life->runs[i].end <= life->now && life->now < life->runs[i].told;
	return count;
}

/* More than so many runs take too long. */
static bool poll_ends(struct life *life, uint64_t most)
{
	struct end_window window = end_windows_next(&life->windows, life->now);
	uint64_t count = 0;
	for (int i = 0; i < RUNS; i++)
		count += life->runs[i].end >= window.first && life->runs[i].end <= window.last &&
			 life->runs[i].told <= life->now;
	bool is_too_much = count > most && window.last - window.first > 10;
	if (!answers(life) || is_too_much) {
		end_windows_note_failure(&life->windows);
		return false;
	}
	for (int i = 0; i < RUNS; i++)
		life->runs[i].is_known |= life->runs[i].end >= window.first && life->runs[i].end <= window.last &&
					  life->runs[i].told <= life->now;
	return end_windows_note(&life->windows, window, life->now, count);
}

static bool is_kept(const struct life *life)
{
	for (int i = 0; i < RUNS; i++)
		if (!life->runs[i].is_known && life->runs[i].end < life->windows.known_until)
			return false;
	return true;
}

static int unknown(const struct life *life)
{
	int count = 0;
	for (int i = 0; i < RUNS; i++)
		count += !life->runs[i].is_known;
	return count;
}

/* Diag is asked now and then, as the planner likes; slurmscope is killed, and away for up to a day. */
static bool survives(uint64_t seed, int64_t *ret_known_until)
{
	static struct life life;
	bool is_fine = true;
	live_on(&life, seed);
	uint64_t most = (uint64_t)(20 + below(&life, 500));
	end_windows_init(&life.windows, T, EVERY);
	while (life.now < life.end + (life.backlog ? 4 : 2) * DAY && is_fine) {
		if (below(&life, 3))
			end_windows_note_queue(&life.windows, life.now, waiting(&life));
		for (int i = 0; i < 5 && poll_ends(&life, most); i++)
			life.now += below(&life, 3);
		is_fine = is_kept(&life);
		life.now += 1 + below(&life, 2 * EVERY);
		if (below(&life, 200) || life.now > life.end)
			continue;
		life.now += below(&life, below(&life, 2) ? 60 : DAY);
		end_windows_init(&life.windows, life.windows.known_until, EVERY);
	}
	*ret_known_until = life.windows.known_until - life.end;
	return is_fine && unknown(&life) == 0;
}

static void nothing_is_passed_over(uint64_t lives)
{
	int64_t known_until;
	for (uint64_t seed = 1; seed <= lives; seed++) {
		char name[32];
		snprintf(name, sizeof name, "seed %" PRIu64, seed);
		check_row(name);
		CHECK(survives(seed, &known_until));
		CHECK(known_until > 0); /* it does get on */
	}
	check_row(NULL);
}

int main(int argc, char **argv)
{
	takes_turns();
	sweeps_after_the_clock_was_set_back();
	a_day_away();
	a_quiet_day_away();
	sizes();
	clock_set_back();
	a_queue_after_a_clock_was_set_back();
	late_windows();
	late_records();
	never_empty();
	long_sweeps();
	a_storm_before_a_sweep_ends();
	nothing_is_passed_over(argc > 1 ? strtoull(argv[1], NULL, 10) : 150);
	return check_done();
}
