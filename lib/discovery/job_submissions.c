#include "discovery/job_submissions.h"

#include "model/number.h"

void job_submissions_init(struct job_submissions *submissions)
{
	const struct diag_sum none = {NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET};
	*submissions = (struct job_submissions){.submitted = none, .started = none};
}

static void count(struct diag_sum *sum, uint64_t counted)
{
	bool began_anew = !number_is_known(counted) || (number_is_known(sum->counted) && counted < sum->counted);
	if (began_anew)
		sum->at_first = sum->known = NUMBER_UNSET;
	if (!number_is_known(sum->at_first))
		sum->at_first = counted;
	sum->counted = counted;
}

void job_submissions_count(struct job_submissions *submissions, uint64_t submitted, uint64_t started)
{
	count(&submissions->submitted, submitted);
	count(&submissions->started, started);
	submissions->is_fresh = true;
}

void job_submissions_begin(struct job_submissions *submissions)
{
	submissions->submitted.at_first = submissions->started.at_first = NUMBER_UNSET;
	submissions->is_fresh = false;
}

void job_submissions_end(struct job_submissions *submissions)
{
	submissions->submitted.known = submissions->submitted.at_first;
	submissions->started.known = submissions->started.at_first;
	submissions->found = 0;
}

static uint64_t less(uint64_t number, uint64_t other)
{
	return number > other ? number - other : 0;
}

uint64_t job_submissions_excess(const struct job_submissions *submissions, uint64_t ids)
{
	const struct diag_sum *submitted = &submissions->submitted, *started = &submissions->started;
	if (!submissions->is_fresh || !number_is_known(submitted->known) || !number_is_known(started->known))
		return NUMBER_UNSET;
	uint64_t unknown = less(submitted->counted - submitted->known, submissions->found);
	return less(unknown + 2 * (started->counted - started->known), ids);
}
