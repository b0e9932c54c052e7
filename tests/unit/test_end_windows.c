/* Which windows of end times slurmdbd is asked for: that no end is ever passed over. */
#include "check.h"
#include "events/end_windows.h"

#include <stdlib.h>

enum { T = 1800000000, EVERY = 30, DAY = 86400, FIRST = 60, SETTLED = 20 }; /* FIRST: seconds of the first window */

/* `runs` that ended evenly over the window, and that slurmdbd told. */
static struct end_answer told(struct end_window window, uint64_t runs)
{
	int64_t seconds = window.last - window.first;
	return (struct end_answer){
		.runs = runs,
		.newest = runs ? window.last : 0,
		.recent = runs > END_WINDOWS_RECENT ? window.last - seconds * END_WINDOWS_RECENT / (int64_t)runs : 0};
}

static bool answer(struct end_windows *windows, struct end_window window, uint64_t runs)
{
	const struct end_answer answer = told(window, runs);
	return end_windows_note(windows, window, &answer);
}

static struct end_window ask(struct end_windows *windows, int64_t now, uint64_t runs)
{
	struct end_window window = end_windows_next(windows, now, now - SETTLED);
	answer(windows, window, runs);
	return window;
}

/* Where few end each pass begins ten minutes before, and goes to the present. */
static void where_few_end(void)
{
	struct end_windows windows;
	end_windows_init(&windows, T);
	for (int64_t now = T; now < T + 3600; now += EVERY) {
		int64_t known = windows.known_until;
		bool goes_on = true;
		struct end_window window;
		end_windows_note_queue(&windows, now, 0);
		for (int64_t from = known; goes_on; from = window.last + 1) {
			window = end_windows_next(&windows, now, now - SETTLED);
			CHECK_NUMBER(window.first, from);
			goes_on = answer(&windows, window, 5);
		}
		CHECK_NUMBER(window.last, now);
	}
	CHECK_NUMBER(windows.known_until, T + 3600 - EVERY - 600);
	CHECK_NUMBER(windows.told_until, T + 3600 - EVERY - 10);
}

/* Where many end a pass goes no further than they are settled, and the next begins some seconds before. */
static void where_many_end(void)
{
	struct end_windows windows;
	int64_t now = T;
	end_windows_init(&windows, T);
	for (int i = 0; i < 10; i++) {
		end_windows_note_queue(&windows, now += EVERY, 0);
		ask(&windows, now, 1200);
	}
	struct end_window window = end_windows_next(&windows, now + EVERY, now + EVERY - SETTLED);
	CHECK_NUMBER(window.last, now + EVERY - SETTLED);
	CHECK_NUMBER(window.first, now - SETTLED - 10);
	answer(&windows, window, 1200);

	check_row("nothing is settled since");
	window = end_windows_next(&windows, now + 2 * EVERY, T);
	CHECK(window.first == windows.known_until && window.last == window.first);

	check_row("few end again");
	answer(&windows, window, 10);
	CHECK_NUMBER(end_windows_next(&windows, now + 2 * EVERY, T).last, now + 2 * EVERY);
	check_row(NULL);
}

static void a_day_away(void)
{
	struct end_windows windows;
	int64_t now = T + DAY;
	end_windows_init(&windows, T);
	end_windows_note_queue(&windows, now, 0);
	struct end_window window = end_windows_next(&windows, now, now);
	CHECK_NUMBER(window.first, T);
	CHECK(window.last < now);
	int asked = 1;
	for (int64_t first = T; answer(&windows, window, 2000); asked++) {
		CHECK_NUMBER(window.first, first);
		first = window.last + 1;
		if (window.last <= now - 60)
			CHECK_NUMBER(windows.known_until, first);
		CHECK_NUMBER(end_windows_behind(&windows), FIRST);
		window = end_windows_next(&windows, now, now);
	}
	CHECK_NUMBER(asked, DAY / (FIRST + 1) + 1);
	CHECK_NUMBER(window.last, now);
	CHECK_NUMBER(windows.told_until, now - 10);
}

/* A pass that needs several windows goes on to the present, though that moves. One that needs a single window is not
 * behind. */
static void a_pass_that_goes_on(void)
{
	struct end_windows windows;
	int64_t now = T + 600;
	size_t asked = 1;
	end_windows_init(&windows, T);
	end_windows_note_queue(&windows, now, 0);
	CHECK_NUMBER(end_windows_behind(&windows), 0);
	for (struct end_window window = ask(&windows, now, 2000); windows.pass_to; asked++) {
		CHECK_NUMBER(end_windows_behind(&windows), FIRST);
		end_windows_note_queue(&windows, now += 30, 0);
		window = ask(&windows, now, 2000);
		CHECK(windows.pass_to || window.last == now - SETTLED);
	}
	CHECK_NUMBER(asked, (600 - SETTLED) / (FIRST + 1 - 30) + 1);
	CHECK_NUMBER(end_windows_behind(&windows), 0);
	ask(&windows, now + 30, 2000);
	CHECK_NUMBER(end_windows_behind(&windows), 0);
}

/* Where little happens a day takes few requests. */
static void a_quiet_day_away(void)
{
	struct end_windows windows;
	int asked = 0;
	end_windows_init(&windows, T);
	do
		asked++;
	while (answer(&windows, end_windows_next(&windows, T + DAY, T + DAY), 1));
	CHECK(asked <= 12);
}

static void sizes(void)
{
	struct end_windows windows;
	int64_t now = T + 7 * DAY;
	end_windows_init(&windows, T);
	end_windows_note_queue(&windows, now, 0);
	CHECK_NUMBER(ask(&windows, now, 5000).last, T + FIRST);
	struct end_window window = ask(&windows, now, 1);
	CHECK_NUMBER(window.last - window.first, FIRST / 2);
	window = end_windows_next(&windows, now, now);
	CHECK_NUMBER(window.last - window.first, FIRST);
	end_windows_note_failure(&windows); /* bisects what was asked for, and goes on from there */
	struct end_window half = end_windows_next(&windows, now, now);
	CHECK(half.first == window.first && half.last - half.first == FIRST / 2);
	for (int i = 0; i < 100; i++)
		end_windows_note_failure(&windows);
	half = end_windows_next(&windows, now, now);
	CHECK(half.first == window.first && half.last > half.first && half.last - half.first <= 10);
	check_row("never less than some seconds");
	for (int i = 0; i < 10; i++)
		ask(&windows, now, 5000);
	half = end_windows_next(&windows, now, now);
	CHECK(half.last - half.first >= 5);
	check_row("twice the span has no more runs than a window may have");
	end_windows_init(&windows, T);
	ask(&windows, now, 1500);
	CHECK_NUMBER(windows.span, FIRST);
	ask(&windows, now, 1499);
	CHECK_NUMBER(windows.span, 2 * FIRST);
	check_row("what was cut short by the present makes later ones no longer");
	end_windows_init(&windows, now - 10);
	for (int i = 0; i < 100; i++)
		ask(&windows, now++, 1);
	CHECK(windows.span <= 4 * FIRST);
	check_row(NULL);
}

/* What had not been handed over when a window was asked for is asked for again. */
static void late_records(void)
{
	struct end_windows windows;
	end_windows_init(&windows, T);
	end_windows_note_queue(&windows, T + 100, 0);
	end_windows_note_queue(&windows, T + DAY, 7);
	struct end_window window = end_windows_next(&windows, T + DAY, T + DAY);
	while (answer(&windows, window, 0))
		window = end_windows_next(&windows, T + DAY, T + DAY);
	CHECK_NUMBER(windows.known_until, T + 100 - 60);
	CHECK_NUMBER(end_windows_next(&windows, T + DAY + EVERY, T + DAY).first, T + 100 - 60);

	check_row("an end that comes tells of those before");
	answer(&windows, (struct end_window){T + 40, T + DAY + EVERY}, 1);
	CHECK_NUMBER(windows.told_until, T + DAY + EVERY - 10);

	check_row("but not of those in an earlier window of the pass");
	end_windows_init(&windows, T);
	answer(&windows, end_windows_next(&windows, T + DAY, T + DAY), 0);
	ask(&windows, T + DAY, 1);
	CHECK_NUMBER(windows.told_until, T);
	check_row(NULL);
}

static void the_queue(void)
{
	static const struct {
		const char *name;
		uint64_t queue[4];
		size_t lengths;
		bool moves;
	} rows[] = {
		{"empty", {0}, 1, true},
		{"a few, that come and go", {3, 1, 4, 2}, 4, true},
		{"always one", {1}, 1, false},
		/* what falls may have been thrown away */
		{"many, more and less", {9000, 5000, 9000, 6000}, 4, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct end_windows windows;
		check_row(rows[i].name);
		end_windows_init(&windows, T);
		for (int turn = 0; turn < 100; turn++)
			end_windows_note_queue(&windows, T + turn * EVERY, rows[i].queue[turn % (int)rows[i].lengths]);
		CHECK_NUMBER(windows.delivered_until > T + 90 * EVERY, rows[i].moves);
		CHECK_NUMBER(windows.delivered_until > T, rows[i].moves);
		check_row("what was said before is no news");
		int64_t before = windows.delivered_until;
		end_windows_note_queue(&windows, T + 50 * EVERY, 0);
		CHECK_NUMBER(windows.delivered_until, before);
	}
	check_row(NULL);
}

enum { HOUR = 3600, A_SECOND = 40, READ_MOST = 6000 };

/* What the window and the seconds from `from` to `to` have in common. Nothing: its last second is before its first. */
static struct end_window common(struct end_window window, int64_t from, int64_t to)
{
	int64_t first = window.first > from ? window.first : from;
	int64_t last = window.last < to ? window.last : to;
	return (struct end_window){first, last < first ? first - 1 : last};
}

/* Forty jobs end a second. For an hour, slurmctld cannot reach slurmdbd. slurmrestd can, so windows are answered, with
 * none of the hour's ends. Then slurmdbd gets the hour's records at once. No answer has many more runs than usual. */
static void a_backlog(void)
{
	static const struct {
		const char *name;
		int64_t quiet_s; /* in which few ended, before */
	} rows[] = {{"of a busy cluster", 0}, {"after a quiet day", DAY}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct end_windows windows;
		int64_t busy_from = T + rows[i].quiet_s, from = busy_from + HOUR, to = from + HOUR;
		int64_t most = 0, read = 0, requests = 0;
		check_row(rows[i].name);
		end_windows_init(&windows, T);
		for (int64_t now = busy_from; now < to + HOUR; now += EVERY) {
			bool is_away = now >= from && now < to;
			end_windows_note_queue(&windows, now, is_away ? (uint64_t)(2 * A_SECOND * (now - from)) : 0);
			for (bool goes_on = true; goes_on; requests++) {
				struct end_window window = end_windows_next(&windows, now, now - SETTLED);
				struct end_window ends = common(window, busy_from, is_away ? from : now);
				int64_t runs = (ends.last - ends.first + 1) * A_SECOND;
				const struct end_answer answer = told(ends, (uint64_t)runs);
				goes_on = end_windows_note(&windows, window, &answer);
				most = runs > most ? runs : most;
				read += runs;
			}
		}
		CHECK(most <= READ_MOST);
		CHECK(read < A_SECOND * 3 * HOUR * 3 / 2);
		CHECK(windows.known_until > to + HOUR - 3 * EVERY);
		printf("a backlog %s: %" PRId64 " runs at most in one answer, %" PRId64 " requests\n", rows[i].name,
		       most, requests);
	}
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
		bool waited; /* in slurmctld's queue until then */
		bool is_known;
	} runs[RUNS];
	int64_t backlog; /* records that wait when slurmdbd is away; from one to this number when it is not */
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
		life->runs[i].told = end + below(life, 8);
		for (int again = 0; again < AWAY_MAX; again++) /* they may overlap */
			for (int j = 0; j < AWAY_MAX; j++)
				if (life->away[j].from <= life->runs[i].told &&
				    life->runs[i].told < life->away[j].to + 60) {
					int64_t waited = life->runs[i].told - life->away[j].from,
						away = life->away[j].to - life->away[j].from + 60;
					life->runs[i].told = life->away[j].to + waited * 60 / away; /* in their turn */
					life->runs[i].waited = true;
				}
	}
}

static int compare(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
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

/* More than `most` runs take too long. */
static bool poll_ends(struct life *life, uint64_t most)
{
	struct end_window window = end_windows_next(&life->windows, life->now, life->now - SETTLED);
	struct end_answer answer = {0};
	int64_t ends[RUNS] = {0};
	for (int i = 0; i < RUNS; i++)
		if (life->runs[i].end >= window.first && life->runs[i].end <= window.last &&
		    life->runs[i].told <= life->now)
			ends[answer.runs++] = life->runs[i].end;
	bool is_too_much = answer.runs > most && window.last - window.first > 10;
	if (!answers(life) || is_too_much) {
		end_windows_note_failure(&life->windows);
		return false;
	}
	qsort(ends, answer.runs, sizeof *ends, compare);
	answer.newest = answer.runs ? ends[answer.runs - 1] : 0;
	answer.recent = answer.runs > END_WINDOWS_RECENT ? ends[answer.runs - 1 - END_WINDOWS_RECENT] : 0;
	for (int i = 0; i < RUNS; i++)
		life->runs[i].is_known |= life->runs[i].end >= window.first && life->runs[i].end <= window.last &&
					  life->runs[i].told <= life->now;
	return end_windows_note(&life->windows, window, &answer);
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
static bool survives(uint64_t seed, int64_t *ret_known_until, bool *ret_is_stuck)
{
	static struct life life;
	bool is_fine = true;
	live_on(&life, seed);
	uint64_t most = (uint64_t)(20 + below(&life, 500));
	end_windows_init(&life.windows, T);
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
		end_windows_init(&life.windows, life.windows.known_until);
	}
	*ret_is_stuck =
		life.backlog == 1; /* the queue is never empty nor moves: an end must come to show that it did */
	*ret_known_until = life.windows.known_until - life.end;
	return is_fine && unknown(&life) == 0;
}

static void nothing_is_passed_over(uint64_t lives)
{
	int64_t known_until;
	bool is_stuck;
	for (uint64_t seed = 1; seed <= lives; seed++) {
		char name[32];
		snprintf(name, sizeof name, "seed %" PRIu64, seed);
		check_row(name);
		CHECK(survives(seed, &known_until, &is_stuck));
		CHECK(known_until > 0 || is_stuck); /* it does get on */
	}
	check_row(NULL);
}

int main(int argc, char **argv)
{
	where_few_end();
	where_many_end();
	a_day_away();
	a_pass_that_goes_on();
	a_quiet_day_away();
	sizes();
	late_records();
	the_queue();
	a_backlog();
	nothing_is_passed_over(argc > 1 ? strtoull(argv[1], NULL, 10) : 150);
	return check_done();
}
