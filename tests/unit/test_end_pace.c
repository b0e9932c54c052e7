/* Hours of a busy site's ends: they are known soon, each is read about once, and none is passed over. Meanwhile
 * slurmdbd hears of them late, or not at all for some minutes. Arguments: hours. Prints a table. */
#include "check.h"
#include "events/end_windows.h"

#include <stdlib.h>

enum {
	T = 1800000000,
	EVERY = 30, /* seconds from one pass to the next */
	DIAG_EVERY = 15,
	RECORDS = 4, /* of a job that slurmctld hands over: its start, a step's start and end, its end */
	HOUR = 3600,
};

/* What a window costs slurmrestd (lib/poll/tasks.c), and the share of its time that ends may have of 6 %. */
static const double REQUEST_S = 0.005, RUN_S = 0.0005, SHARE = 0.045;

struct site {
	double per_s; /* ends, for the first `busy_s`; then a tenth of that */
	int64_t busy_s, end;
	double away_every_s, away_s; /* slurmdbd is restarted */
	bool answers; /* meanwhile; else requests fail */
	bool is_never_empty; /* slurmctld's queue, when diag looks */
	/* the state of the simulation */
	double now, handed_over; /* all that was queued before is in slurmdbd */
	double next_diag;
	uint64_t runs, reads, known;
	uint8_t *is_known; /* of each run */
	int64_t lag_max;
	double slurmrestd_s;
	uint64_t passed_over, read_before;
};

static double busy_runs(const struct site *site)
{
	return site->per_s * (double)site->busy_s;
}

static double end_of(const struct site *site, uint64_t run)
{
	double number = (double)run, busy = busy_runs(site);
	return number <= busy ? T + number / site->per_s
			      : T + (double)site->busy_s + (number - busy) * 10 / site->per_s;
}

/* The first run that ends then or later. */
static uint64_t first_run(const struct site *site, double then)
{
	double since = then - T, busy = (double)site->busy_s;
	double number = since <= busy ? since * site->per_s : busy_runs(site) + (since - busy) * site->per_s / 10;
	uint64_t run = number <= 0 ? 0 : (uint64_t)number;
	while (run < site->runs && end_of(site, run) < then)
		run++;
	return run < site->runs ? run : site->runs;
}

/* slurmctld queues a record some seconds after the end: most within two, some within eight. */
static double queued_at(const struct site *site, uint64_t run)
{
	uint64_t random = (run + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	return end_of(site, run) + (double)(random % 1000 ? random % 20 : random % 80) / 10;
}

static bool is_away(const struct site *site, double then)
{
	double turn = site->away_every_s ? (then - T) / site->away_every_s : 0;
	return turn >= 1 && (turn - (double)(int64_t)turn) * site->away_every_s < site->away_s;
}

/* slurmdbd takes what waits at ten times the pace of the ends. */
static void pass_time(struct site *site, double seconds)
{
	for (double rest = seconds; rest > 0; rest -= 1) {
		double step = rest < 1 ? rest : 1;
		site->now += step;
		if (is_away(site, site->now))
			continue;
		double taken = site->handed_over + 10 * step, newest = site->now - 1;
		site->handed_over = taken < newest ? taken : newest;
	}
}

static void ask_diag(struct site *site, struct end_windows *windows)
{
	if (site->now < site->next_diag)
		return;
	double waits = site->now - 1 - site->handed_over;
	uint64_t waiting = (uint64_t)(waits > 0 ? waits * site->per_s * RECORDS : 0);
	uint64_t random = (uint64_t)site->now * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	end_windows_note_queue(windows, (int64_t)site->now,
			       waiting + (site->is_never_empty ? 1 + random % (uint64_t)(site->per_s + 3) : 0));
	site->next_diag = site->now + DIAG_EVERY;
}

static struct end_answer read_window(struct site *site, struct end_window window)
{
	struct end_answer answer = {0};
	uint64_t first = first_run(site, (double)window.first), last = first_run(site, (double)window.last + 1);
	uint64_t recent[END_WINDOWS_RECENT] = {0};
	for (uint64_t run = first; run < last; run++) {
		if (queued_at(site, run) > site->handed_over)
			continue;
		answer.newest = (int64_t)end_of(site, run);
		uint64_t *slot = &recent[answer.runs++ % END_WINDOWS_RECENT];
		answer.recent = (int64_t)*slot;
		*slot = (uint64_t)answer.newest;
		site->known += !site->is_known[run];
		site->is_known[run] = true;
	}
	site->reads += answer.runs;
	return answer;
}

/* Every run that ended before known_until is known. */
static void look_for_passed_over(struct site *site, int64_t from, int64_t to)
{
	uint64_t last = first_run(site, (double)to);
	for (uint64_t run = first_run(site, (double)from); run < last; run++)
		site->passed_over += !site->is_known[run];
}

static bool ask(struct site *site, struct end_windows *windows)
{
	int64_t now = (int64_t)site->now, known = windows->known_until;
	struct end_window window = end_windows_next(windows, now, now - 10 - now % 23);
	site->read_before += window.first < known;
	if (is_away(site, site->now) && !site->answers) {
		end_windows_note_failure(windows);
		pass_time(site, EVERY);
		return false;
	}
	const struct end_answer answer = read_window(site, window);
	double cost = REQUEST_S + RUN_S * (double)answer.runs;
	site->slurmrestd_s += cost;
	pass_time(site, cost / SHARE);
	bool goes_on = end_windows_note(windows, window, &answer);
	look_for_passed_over(site, known, windows->known_until);
	return goes_on;
}

static void live(struct site *site, struct end_windows *windows)
{
	site->now = site->handed_over = site->next_diag = T;
	site->runs = (uint64_t)(busy_runs(site) + (double)(site->end - site->busy_s) * site->per_s / 10);
	site->is_known = calloc(site->runs, 1);
	end_windows_init(windows, T);
	while (site->now < (double)(T + site->end)) {
		double begun = site->now;
		int64_t lag = (int64_t)site->now - windows->told_until;
		site->lag_max = lag > site->lag_max ? lag : site->lag_max;
		ask_diag(site, windows);
		bool goes_on = ask(site, windows);
		if (!goes_on && site->now < begun + EVERY)
			pass_time(site, begun + EVERY - site->now);
	}
	free(site->is_known);
}

static void print_row(const struct site *site, const char *name, const struct end_windows *windows)
{
	printf("| %g | %s | %.2f | %" PRId64 " s | %" PRId64 " s | %.2f %% |\n", site->per_s, name,
	       (double)site->reads / (double)site->known, site->lag_max, (int64_t)site->now - windows->told_until,
	       100 * site->slurmrestd_s / (site->now - T));
}

/* Lags are limits; reads: of each run, on average. */
static const struct row {
	const char *name;
	double per_s, away_every_s, away_s;
	bool answers, is_never_empty;
	double busy_share; /* of the time; later a tenth ends */
	double reads_max;
	int64_t lag_max, lag_last_max;
} rows[] = {
	{"slurmdbd is well", 1, 0, 0, true, false, 1, 10, 120, 120},
	{"slurmdbd is well", 15, 0, 0, true, false, 1, 1.6, 120, 120},
	{"slurmdbd is well", 25, 0, 0, true, false, 1, 1.5, 120, 120},
	{"slurmdbd is well", 40, 0, 0, true, false, 1, 1.5, 120, 120},
	{"slurmctld's queue is never empty", 40, 0, 0, true, true, 1, 1.5, 120, 120},
	{"slurmdbd is restarted, 5 s, each 10 min", 40, 600, 5, false, false, 1, 1.5, 240, 120},
	{"slurmdbd is away for 4 min each hour", 40, 3600, 240, false, false, 1, 1.5, 900, 300},
	{"slurmdbd takes nothing for 4 min each hour, but answers", 40, 3600, 240, true, false, 1, 1.5, 900, 300},
	{"more than may be read", 100, 0, 0, true, false, 1, 1.2, HOUR * 24, HOUR * 24},
	{"more than may be read, the queue is never empty", 100, 0, 0, true, true, 1, 1.5, HOUR * 24, HOUR * 24},
	{"a sixth of the time 15,000 a minute, then a tenth", 250, 0, 0, true, false, 1. / 6, 1.5, HOUR * 24, 120},
	{"15,000 a minute", 250, 0, 0, true, false, 1, 1.2, HOUR * 24, HOUR * 24},
};

int main(int argc, char **argv)
{
	int64_t hours = argc > 1 ? atoll(argv[1]) : 2;
	printf("| ends a second, %" PRId64
	       " h | what happens | reads of a run | longest lag | lag at the end | slurmrestd |\n"
	       "|---|---|---|---|---|---|\n",
	       hours);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		char name[120];
		struct end_windows windows;
		struct site site = {.per_s = row->per_s,
				    .end = hours * HOUR,
				    .busy_s = (int64_t)((double)(hours * HOUR) * row->busy_share),
				    .away_every_s = row->away_every_s,
				    .away_s = row->away_s,
				    .answers = row->answers,
				    .is_never_empty = row->is_never_empty};
		snprintf(name, sizeof name, "%g a second: %s", row->per_s, row->name);
		check_row(name);
		live(&site, &windows);
		print_row(&site, row->name, &windows);
		CHECK_NUMBER(site.passed_over, 0);
		CHECK_NUMBER(site.read_before, 0); /* runs that ended before are forgotten, and would count twice */
		CHECK((double)site.reads / (double)site.known <= row->reads_max);
		CHECK(site.lag_max <= row->lag_max);
		CHECK((int64_t)site.now - windows.told_until <= row->lag_last_max);
	}
	check_row(NULL);
	return check_done();
}
