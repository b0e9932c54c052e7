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
		bool waited;       /* in slurmctld's queue until then */
		bool is_known;
	} runs[RUNS];
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
		life->away[i].to = life->away[i].from +
				   below(life, below(life, 3) ? 600 : DAY / 2);
		life->away[i].answers = below(life, 2);
	}
	int64_t storm = T + below(life, life->end - T);
	for (int i = 0; i < RUNS; i++) {
		int64_t end = below(life, 4) ? T + below(life, life->end - T)
					     : storm + below(life, 20);
		life->runs[i].end = end;
		life->runs[i].told = end + below(life, below(life, 5) ? 5 : 500);
		for (int again = 0; again < AWAY_MAX; again++) /* they may overlap */
			for (int j = 0; j < AWAY_MAX; j++)
				if (life->away[j].from <= life->runs[i].told &&
				    life->runs[i].told < life->away[j].to) {
					life->runs[i].told = life->away[j].to + below(life, 60);
					life->runs[i].waited = true;
				}
	}
}

static bool answers(const struct life *life)
{
	for (int i = 0; i < AWAY_MAX; i++)
		if (life->away[i].from <= life->now && life->now < life->away[i].to &&
		    !life->away[i].answers)
			return false;
	return true;
}

static uint64_t waiting(const struct life *life)
{
	uint64_t count = 0;
	for (int i = 0; i < RUNS; i++)
		count += life->runs[i].waited && life->runs[i].end <= life->now &&
			 life->now < life->runs[i].told;
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
		life->runs[i].is_known |= life->runs[i].end >= window.first &&
					  life->runs[i].end <= window.last &&
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
	while (life.now < life.end + 2 * DAY && is_fine) {
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
	a_day_away();
	a_quiet_day_away();
	sizes();
	late_windows();
	late_records();
	nothing_is_passed_over(argc > 1 ? strtoull(argv[1], NULL, 10) : 150);
	return check_done();
}
