/* Ends of a time that is reported twice: slurmdbd was gone for hours and comes back, or slurmctld's clock was set back.
 * Each counts once. */
#include "events/count.h"
#include "events_world.h"

enum { HOUR = 3600, DAY = 86400 };

static double ends(const struct world *w)
{
	return in_cluster(w, TALLY_ENDS, "completed");
}

static void tell(struct world *w, const struct job *job, int64_t end)
{
	const struct job_end told = end_of(job, "completed", end);
	if (job_events_may_take(w->events, &told))
		job_events_take_end(w->events, &told);
}

static void go(struct world *w, const struct job *job, int64_t now)
{
	job_table_remove(w->table, job->id);
	look(w, now);
}

/* The table shows how it ended, and forgets it. */
static void end_in_table(struct world *w, const struct job *job, int64_t end)
{
	struct job ended = *job;
	ended.state = JOB_COMPLETED;
	ended.end_time = (uint64_t)end;
	put_and_look(w, &ended, end + 1);
	go(w, job, end + 300);
}

static void leave(struct world *w, int64_t now)
{
	job_events_leave_slurmdbd(w->events, now);
	w->events->ends_by_slurmdbd = false;
	look(w, now);
}

static void test_slurmdbd_comes_back(void)
{
	struct world w;
	const int64_t gone = BIRTH + HOUR, left = gone + 4 * HOUR, back = left + 4 * HOUR;
	world_init(&w, true);
	look(&w, BIRTH);
	job_events_end_window(w.events, gone, gone);
	const struct job seen = running(1, gone + 10, gone + 20), shown = running(2, gone + 10, left - 200),
			 later = running(3, left + 10, left + 20), lives = running(4, gone + 10, gone + 20),
			 short_before = running(5, gone + 100, gone + 110),
			 short_later = running(6, left + HOUR, left + HOUR);
	put_and_look(&w, &seen, gone + 30);
	put_and_look(&w, &lives, gone + 30);
	go(&w, &seen, gone + 1000);
	put_and_look(&w, &shown, left - 190);
	struct job over = shown;
	over.state = JOB_COMPLETED;
	over.end_time = (uint64_t)(left - 100);
	put_and_look(&w, &over, left - 90);
	CHECK_NUMBER(ends(&w), 0);
	check_row("slurmctld tells of the ends that it still shows, and of those that come");
	leave(&w, left);
	CHECK_NUMBER(ends(&w), 1);
	go(&w, &shown, left + 100);
	put_and_look(&w, &later, left + 30);
	end_in_table(&w, &later, left + 60);
	CHECK_NUMBER(ends(&w), 2);
	check_row("what ended before waits, and is not lost; what slurmctld told of since is forgotten");
	look(&w, back);
	CHECK_NUMBER(w.events->lost, 0);
	CHECK_NUMBER(w.events->runs.used, 3); /* seen, shown, lives */
	CHECK_NUMBER(w.events->ends_known_until, gone);
	check_row("slurmdbd is back, after a restart");
	restart(&w, true, back);
	put_and_look(&w, &lives, back);
	w.events->ends_by_slurmdbd = true;
	for (int again = 0; again < 2; again++) {
		tell(&w, &seen, gone + 900);
		tell(&w, &short_before, gone + 120);
		tell(&w, &shown, left - 100);
		tell(&w, &later, left + 60);
		tell(&w, &short_later, left + HOUR + 1); /* slurmctld may have told of it */
		CHECK_NUMBER(ends(&w), 4);
	}
	tell(&w, &lives, back - 10);
	CHECK_NUMBER(ends(&w), 5);
	check_row("and from then on tells of all");
	go(&w, &lives, back + 300);
	job_events_end_window(w.events, back + 2 * HOUR, back + 2 * HOUR);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->told.until, 0);
	CHECK_NUMBER(w.events->lost, 0);
	const struct job next = running(7, back + 2 * HOUR, back + 2 * HOUR);
	tell(&w, &next, back + 2 * HOUR + 5);
	CHECK_NUMBER(ends(&w), 6);
	world_done(&w);
}

static void test_slurmdbd_never_comes_back(void)
{
	struct world w;
	int64_t left = BIRTH + 4 * HOUR;
	world_init(&w, true);
	look(&w, BIRTH);
	job_events_end_window(w.events, BIRTH, BIRTH);
	for (uint64_t id = 1; id <= 100; id++) {
		const struct job job = running(id, BIRTH + 10, BIRTH + 20);
		put_and_look(&w, &job, BIRTH + 30);
	}
	for (uint64_t id = 1; id <= 100; id++)
		job_table_remove(w.table, id);
	look(&w, BIRTH + HOUR);
	leave(&w, left);
	for (int day = 0; day < 6; day++) {
		const struct job job = running(1000 + (uint64_t)day, left + day * DAY, left + day * DAY + 10);
		put_and_look(&w, &job, left + day * DAY + 20);
		end_in_table(&w, &job, left + day * DAY + 30);
		look(&w, left + day * DAY + HOUR);
		CHECK_NUMBER(w.events->runs.used, 100);
	}
	check_row("what slurmdbd alone could tell is waited for for a week");
	CHECK_NUMBER(ends(&w), 6);
	CHECK_NUMBER(w.events->lost, 0);
	look(&w, left + 8 * DAY);
	look(&w, left + 8 * DAY + 1);
	CHECK_NUMBER(w.events->lost, 100);
	CHECK_NUMBER(w.events->runs.used, 0);
	check_row("if slurmdbd comes back then, it is asked from there on");
	CHECK_NUMBER(w.events->ends_known_until > left + 7 * DAY, true);
	CHECK_NUMBER(w.events->told.until, 0);
	world_done(&w);
}

static void test_clock_set_back(void)
{
	struct world w;
	const int64_t now = BIRTH + DAY, back = now - HOUR;
	world_init(&w, true);
	look(&w, back);
	const struct job forgotten = running(100, back + 10, back + 20), lives = running(101, back + 30, back + 40),
			 next = running(102, back + 15, back + 25);
	put_and_look(&w, &forgotten, back + 50);
	tell(&w, &forgotten, back + 60);
	put_and_look(&w, &lives, now - 20);
	go(&w, &forgotten, now - 10);
	job_events_end_window(w.events, now - 10, now - 10);
	CHECK_NUMBER(ends(&w), 1);
	CHECK_NUMBER(w.events->runs.used, 1);
	check_row("slurmctld's clock goes through that hour again");
	job_events_set_back(w.events, back);
	CHECK(w.events->ends_known_until <= back);
	CHECK_NUMBER(w.events->looked_until, back);
	restart(&w, true, back + 20);
	for (int again = 0; again < 2; again++) {
		tell(&w, &next, back + 30); /* a short job that nobody saw */
		CHECK_NUMBER(ends(&w), 2);
		tell(&w, &forgotten, back + 60);
		CHECK_NUMBER(ends(&w), 2);
	}
	tell(&w, &lives, back + 90);
	CHECK_NUMBER(ends(&w), 3);
	check_row("and is beyond it");
	look(&w, now + 100);
	job_events_end_window(w.events, now, now);
	CHECK_NUMBER(w.events->told.until, 0);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);

	check_row("counting began by a clock that was ahead");
	world_init(&w, true);
	job_events_set_back(w.events, BIRTH - HOUR);
	const struct job job = running(1, BIRTH - HOUR + 10, BIRTH - HOUR + 20);
	tell(&w, &job, BIRTH - HOUR + 30);
	CHECK_NUMBER(ends(&w), 1);
	world_done(&w);
}

/* Is the end taken of a run that nobody saw? */
static bool takes(const struct world *w, uint32_t id, int64_t end)
{
	const struct job job = running(id, BIRTH, BIRTH);
	const struct job_end told = end_of(&job, "completed", end);
	return job_events_may_take(w->events, &told);
}

/* Until when slurmdbd told, from when slurmctld did, and until when: to the second. */
static void test_left_to_the_second(void)
{
	struct world w;
	const int64_t gone = BIRTH + HOUR, left = gone + 4 * HOUR, again = left + HOUR;
	world_init(&w, true);
	look(&w, BIRTH);
	job_events_end_window(w.events, gone, gone);
	check_row("slurmdbd told of what ended before that second");
	CHECK(!takes(&w, 1, gone - 1) && takes(&w, 1, gone));
	CHECK(count_may_be_forgotten(w.events, gone - 1) && !count_may_be_forgotten(w.events, gone));
	check_row("slurmctld tells of what ends in that second, and of nothing before");
	job_events_leave_slurmdbd(w.events, left);
	CHECK(takes(&w, 1, left - 1) && !takes(&w, 1, left) && takes(&w, 1, left + 1));
	check_row("it is left for the second time: slurmctld has told since the first");
	job_events_end_window(w.events, gone + 60, gone + 60);
	job_events_leave_slurmdbd(w.events, again);
	CHECK(!takes(&w, 1, gone + 59) && takes(&w, 1, gone + 60) && takes(&w, 1, left - 1));
	CHECK(!takes(&w, 1, left) && !takes(&w, 1, again) && takes(&w, 1, again + 1));
	world_done(&w);
}

/* The clock is set back once more, before slurmdbd has told of all that came before the first time. */
static void test_set_back_twice(void)
{
	enum { EARLY = 600 }; /* seconds by which it may have been set back before that was seen */
	static const struct {
		const char *what;
		int64_t once, twice; /* what the clock shows then */
	} rows[] = {
		{"the first one was further", BIRTH + DAY, BIRTH + DAY + HOUR},
		{"the second one was", BIRTH + DAY + HOUR, BIRTH + DAY},
	};
	struct world w;
	const int64_t known = BIRTH + 2 * DAY, from = BIRTH + DAY - EARLY;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		world_init(&w, true);
		check_row(rows[i].what);
		const struct job newest = running(100, known - 50, known - 40);
		put_and_look(&w, &newest, known - 30);
		job_events_end_window(w.events, known, known);
		job_events_set_back(w.events, rows[i].once);
		tell(&w, &newest, known + 1);
		go(&w, &newest, known + 10);
		job_events_end_window(w.events, rows[i].once, known + 2);
		CHECK_NUMBER(w.events->runs.used, 0);
		job_events_set_back(w.events, rows[i].twice);
		CHECK_NUMBER(w.events->told.from, from);
		CHECK_NUMBER(w.events->told.until, known);
		CHECK_NUMBER(w.events->told.id, 100);
		int64_t asked = w.events->ends_known_until;
		CHECK_NUMBER(asked, rows[i].twice < rows[i].once ? rows[i].twice - EARLY : rows[i].once);
		check_row("only an id that nobody had then is another job's");
		CHECK(!takes(&w, 100, asked) && takes(&w, 101, asked) && !takes(&w, 101, asked - 1));
		CHECK(!takes(&w, 100, known - 1) && takes(&w, 100, known));
		world_done(&w);
	}
	check_row("what happens by the clock that was set right is not recovered");
	world_init(&w, true);
	restart(&w, true, BIRTH + DAY);
	job_events_set_back(w.events, BIRTH + HOUR);
	const struct job job = running(1, BIRTH + HOUR, BIRTH + HOUR);
	put_and_look(&w, &job, BIRTH + HOUR + 10);
	CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), 1);
	CHECK_NUMBER(w.events->recovered, 0);
	world_done(&w);
}

int main(void)
{
	test_slurmdbd_comes_back();
	test_slurmdbd_never_comes_back();
	test_clock_set_back();
	test_left_to_the_second();
	test_set_back_twice();
	return check_done();
}
