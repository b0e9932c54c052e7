/* What reasons mean in words: every reason of Slurm 26.05 has some. */
#include "check.h"
#include "model/reason.h"
#include "model/reason_words.h"
#include "reason_names.h"

static void meanings(void)
{
	static const struct {
		const char *reason, *meaning, *advice;
	} rows[] = {
		{"Priority", "Other jobs come first.", "A shorter time limit"},
		{"QOSGrpCpuLimit", "Running jobs of its QOS hold as many CPUs as they may.", "It starts when"},
		{"AssocGrpMemLimit", "Running jobs of its account or user hold as much memory as they may.",
		 "It starts when"},
		{"QOSMaxCpuPerUserLimit", "Running jobs of its user in its QOS hold as many CPUs as they may.",
		 "It starts when"},
		{"MaxMemoryPerAccount", "Running jobs of its account in its QOS hold as much memory", "It starts when"},
		{"QOSMaxNodePerJobLimit", "It asks for more nodes than its QOS allows.", "It never starts"},
		{"AssocMaxMemPerNode", "It asks for more memory of a node than its account or user allows.",
		 "It never"},
		{"AssocMaxCpuMinutesPerJobLimit", "It asks for more CPU minutes than", "It never starts"},
		{"QOSMinCpuNotSatisfied", "It asks for fewer CPUs than its QOS requires.", "It never starts"},
		{"QOSMaxJobsPerUserLimit", "As many jobs of its user in its QOS run as may.", "It starts when"},
		{"AssocMaxSubmitJobLimit", "As many jobs of its account or user run or wait as may.", "It starts when"},
		{"AssocGrpCPUMinutesLimit", "All jobs of its account or user have used up the CPU minutes",
		 "Wait until"},
		{"MaxGRESRunMinsPerUser", "Running jobs of its user in its QOS may still use as many GRES minutes",
		 "It starts"},
		{"AssocMaxWallDurationPerJobLimit", "It asks for more time than its account", "It never starts"},
		{"QOSGrpWallLimit", "All jobs of its QOS have used up the time that they may use.", "Wait until"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf meaning = BUF_INIT, advice = BUF_INIT;
		check_row(rows[i].reason);
		CHECK(reason_words_meaning(text_of(rows[i].reason), &meaning));
		CHECK(reason_words_advice(text_of(rows[i].reason), &advice));
		CHECK(text_starts_with(buf_text(&meaning), rows[i].meaning));
		CHECK(text_starts_with(buf_text(&advice), rows[i].advice));
		buf_done(&meaning);
		buf_done(&advice);
	}
}

static void all_are_known(void)
{
	for (size_t i = 0; i < sizeof reason_names / sizeof *reason_names; i++) {
		struct buf meaning = BUF_INIT, advice = BUF_INIT;
		struct text reason = text_of(reason_names[i]);
		check_row(reason_names[i]);
		CHECK(reason_words_meaning(reason, &meaning));
		CHECK(reason_words_advice(reason, &advice));
		CHECK(meaning.len && meaning.bytes[meaning.len - 1] == '.');
		CHECK(advice.len && advice.bytes[advice.len - 1] == '.');
		CHECK(!reason_words_is_limit(reason) || reason_class_of(reason) == REASON_LIMIT);
		buf_done(&meaning);
		buf_done(&advice);
	}
}

static void unknown_ones(void)
{
	static const char *const rows[] = {
		"", "QOS", "Assoc", "QOSGrp", "QOSGrpFoo", "Max", "MaxFoo", "AssocGrpCpuLimitX", "Priority "};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = BUF_INIT;
		check_row(rows[i]);
		CHECK(!reason_words_meaning(text_of(rows[i]), &out));
		CHECK(!reason_words_advice(text_of(rows[i]), &out));
		CHECK_NUMBER(out.len, 0);
		buf_done(&out);
	}
}

int main(void)
{
	meanings();
	all_are_known();
	unknown_ones();
	return check_done();
}
