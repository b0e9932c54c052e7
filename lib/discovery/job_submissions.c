#include "discovery/job_submissions.h"

#include "model/number.h"

void job_submissions_init(struct job_submissions *submissions)
{
	*submissions =
		(struct job_submissions){.counted = NUMBER_UNSET, .at_begin = NUMBER_UNSET, .known = NUMBER_UNSET};
}

void job_submissions_count(struct job_submissions *submissions, uint64_t counted)
{
	if (!number_is_known(counted))
		return;
	if (number_is_known(submissions->counted) && counted < submissions->counted)
		submissions->at_begin = submissions->known = NUMBER_UNSET;
	submissions->counted = counted;
	submissions->is_fresh = true;
}

void job_submissions_begin(struct job_submissions *submissions)
{
	submissions->at_begin = submissions->counted;
	submissions->is_fresh = false;
}

void job_submissions_end(struct job_submissions *submissions)
{
	submissions->known = submissions->at_begin;
	submissions->found = 0;
}

uint64_t job_submissions_unknown(const struct job_submissions *submissions)
{
	if (!submissions->is_fresh || !number_is_known(submissions->known))
		return NUMBER_UNSET;
	uint64_t submitted = submissions->counted - submissions->known;
	return submitted > submissions->found ? submitted - submissions->found : 0;
}
