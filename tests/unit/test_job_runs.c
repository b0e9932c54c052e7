/* slurmdbd's records of runs: every shape by itself, and the recorded answers of seven releases. Those answers report
 * the same jobs in each API version of a release. */
#include "base/buf.h"
#include "check.h"
#include "model/job_run.h"
#include "slurmrest/decode.h"
#include "slurmrest/job_runs_query.h"

#include <stdlib.h>

static struct vocabulary vocabulary;

static void add_time(struct buf *line, const char *name, uint64_t time)
{
	if (number_is_known(time))
		buf_printf(line, " %s=%" PRIu64, name, time);
}

static void add_text(struct buf *line, const char *name, struct text text)
{
	if (text.len)
		buf_printf(line, " %s=%.*s", name, (int)text.len, text.bytes);
}

/* A line per run: all that a version is sure to have. */
static void describe(void *context, const void *record)
{
	struct buf *line = context;
	const struct job_run *run = record;
	const struct job *job = &run->job;
	bool is_cut;
	buf_printf(line, "%" PRIu64 " %s", job->id, vocabulary.job_states.name[job->state]);
	for (unsigned flag = 0; flag < vocabulary.job_flags.count; flag++)
		if (job->flags & UINT64_C(1) << flag)
			buf_printf(line, "+%s", vocabulary.job_flags.name[flag]);
	if (number_is_known(job->array_job_id) && job->array_job_id)
		add_time(line, "array", job->array_job_id), add_time(line, "task", job->array_task_id);
	if (job->array_tasks.len)
		buf_printf(line, " tasks=%" PRIu64, job_count(job, &is_cut));
	if (run->het_job_id)
		add_time(line, "het", run->het_job_id), add_time(line, "offset", run->het_offset);
	add_text(line, "user", job->user);
	add_text(line, "account", job->account);
	add_text(line, "partition", job->partitions);
	add_text(line, "qos", job->qos);
	add_time(line, "submit", job->submit_time);
	add_time(line, "eligible", job->eligible_time);
	add_time(line, "start", job->start_time ? job->start_time : NUMBER_UNSET);
	add_time(line, "end", job->end_time ? job->end_time : NUMBER_UNSET);
	add_time(line, "limit", job->time_limit);
	add_time(line, "exit", job->exit_code);
	add_time(line, "signal", run->job.exit_signal);
	add_time(line, "cpus", job->cpus);
	add_time(line, "nodes", job->nodes);
	add_text(line, "on", job->node_list);
	add_text(line, "asked", job->tres_requested);
	add_text(line, "has", job->tres_allocated);
	add_time(line, "held_cpus", run->cpus_allocated);
	add_time(line, "held_bytes", run->memory_allocated);
	if (number_is_known(job->restarts) && job->restarts)
		buf_printf(line, " restarts=%" PRIu64, job->restarts);
	buf_printf(line, " steps=%" PRIu64, run->steps);
	add_time(line, "cpu_us", run->cpu_used_us);
	add_time(line, "used_bytes", run->memory_used);
	add_time(line, "gpu_bytes", run->gpu_memory_used);
	add_time(line, "joules", run->energy_used);
	buf_add_char(line, '\n');
}

static void describe_ended(void *context, const void *record)
{
	if (job_run_has_ended(record))
		describe(context, record);
}

static struct buf decode(const char *json, size_t len, size_t step, record_fn *take)
{
	struct buf lines = BUF_INIT;
	struct error err = {""};
	struct decoder *decoder = decoder_new(&job_run_record, &vocabulary);
	decoder_start(decoder, take, &lines);
	for (size_t at = 0; at < len; at += step)
		CHECK(decoder_feed(decoder, json + at, len - at < step ? len - at : step, &err));
	CHECK(decoder_finish(decoder, &err));
	CHECK_STRING(err.text, "");
	CHECK_NUMBER(decoder_answer(decoder)->skipped, 0);
	decoder_free(decoder);
	return lines;
}

/* Of a run, between a job's number and its steps. */
static void test_members(void)
{
	static const struct {
		const char *members, *want;
	} rows[] = {
		{"\"state\":{\"current\":[\"PENDING\",\"REQUEUED\"]},\"nodes\":\"n1\",\"time\":{\"submission\":5,"
		 "\"start\":6,\"end\":7}",
		 "pending+requeued submit=5 start=6 end=7 on=n1 steps=0"},
		{"\"state\":{\"current\":\"REQUEUED\"},\"nodes\":\"n1\",\"time\":{\"submission\":5,\"start\":6,\"end\":7}",
		 "pending+requeued submit=5 start=6 end=7 on=n1 steps=0"},
		/* a time that has not come yet is given as now */
		{"\"state\":{\"current\":[\"PENDING\"]},\"nodes\":\"None assigned\",\"time\":{"
		 "\"submission\":5,\"start\":9,\"end\":9}",
		 "pending submit=5 steps=0"},
		{"\"state\":{\"current\":[\"RUNNING\"]},\"nodes\":\"n1\",\"time\":{\"start\":6,\"end\":9}",
		 "running start=6 on=n1 steps=0"},
		/* of several QOS it waits for all, and had one */
		{"\"state\":{\"current\":[\"PENDING\"]},\"qos\":\"high\",\"qosreq\":\"low,high\"",
		 "pending qos=low,high steps=0"},
		{"\"state\":{\"current\":[\"RUNNING\"]},\"qos\":\"high\",\"qosreq\":\"low,high\"",
		 "running qos=high steps=0"},
		{"\"state\":{\"current\":\"RESIZING\"}", "pending+resizing steps=0"},
		{"\"state\":{\"current\":[\"PENDING\",\"RESIZING\"]},\"nodes\":\"n1\",\"time\":{\"submission\":5,"
		 "\"start\":6,\"end\":7}",
		 "pending+resizing submit=5 start=6 end=7 on=n1 steps=0"},
		{"\"state\":{\"current\":[\"FAILED\"]},\"exit_code\":{\"status\":[\"ERROR\"],"
		 "\"return_code\":{\"set\":true,\"infinite\":false,\"number\":42},\"signal\":{\"id\":{"
		 "\"set\":false,\"infinite\":false,\"number\":0},\"name\":\"\"}}",
		 "failed exit=42 steps=0"},
		{"\"state\":{\"current\":\"FAILED\"},\"exit_code\":{\"status\":\"SUCCESS\","
		 "\"return_code\":0}",
		 "failed steps=0"}, /* v0.0.38 says so whatever it was */
		{"\"state\":{\"current\":\"COMPLETED\"},\"exit_code\":{\"return_code\":0}", "completed exit=0 steps=0"},
		{"\"state\":{\"current\":\"FAILED\"},\"exit_code\":{\"status\":\"SIGNALED\","
		 "\"return_code\":null,\"signal\":{\"signal_id\":9,\"name\":\"Killed\"}}",
		 "failed signal=9 steps=0"},
		{"\"state\":{\"current\":[\"CANCELLED\"]},\"array\":{\"job_id\":7,\"task_id\":null,"
		 "\"task\":\"0x1FFE\"}",
		 "cancelled array=7 tasks=12 steps=0"},
		{"\"state\":{\"current\":[\"COMPLETED\"]},\"tres\":{\"allocated\":[{\"type\":\"cpu\","
		 "\"name\":\"\",\"id\":1,\"count\":2},{\"type\":\"mem\",\"name\":null,\"id\":2,"
		 "\"count\":400},{\"type\":\"node\",\"name\":\"\",\"id\":4,\"count\":1},{\"type\":\"energy\",\"name\":\"\",\"id\":3,\"count\":-2},{\"type\":"
		 "\"gres\",\"name\":\"gpu:a100\",\"id\":1001,\"count\":3}],\"requested\":[]}",
		 "completed has=cpu=2,mem=400M,node=1,gres/gpu:a100=3 held_cpus=2 held_bytes=419430400 steps=0"},
		/* energy is what was used, and no resource that it holds; not measured it is -2, null (22.05) or 0 */
		{"\"state\":{\"current\":[\"COMPLETED\"]},\"tres\":{\"allocated\":[{\"type\":\"energy\",\"name\":\"\","
		 "\"id\":3,\"count\":86400000},{\"type\":\"node\",\"name\":\"\",\"id\":4,\"count\":1}]}",
		 "completed has=node=1 steps=0 joules=86400000"},
		{"\"state\":{\"current\":\"COMPLETED\"},\"tres\":{\"allocated\":[{\"type\":\"energy\",\"name\":null,"
		 "\"id\":3,\"count\":null},{\"type\":\"node\",\"name\":null,\"id\":4,\"count\":1}]}",
		 "completed has=node=1 steps=0"},
		{"\"state\":{\"current\":\"COMPLETED\"},\"tres\":{\"allocated\":[{\"type\":\"energy\",\"id\":3,"
		 "\"count\":0}]}",
		 "completed steps=0"},
		/* several partitions: of one that ran, that in which it did */
		{"\"state\":{\"current\":[\"CANCELLED\"]},\"partition\":\"gpu,busy\",\"nodes\":\"n1\",\"time\":{\"start\":6},"
		 "\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"id\":1,\"count\":2},{\"type\":\"node\",\"id\":4,\"count\":1}]}",
		 "cancelled partition=gpu start=6 on=n1 has=cpu=2,node=1 held_cpus=2 steps=0"},
		{"\"state\":{\"current\":[\"CANCELLED\"]},\"partition\":\"gpu,busy\",\"nodes\":\"None assigned\"",
		 "cancelled partition=gpu,busy steps=0"},
		/* a slurmctld that was relieved told nobody that an array's last task had started (24.11) */
		{"\"state\":{\"current\":[\"FAILED\"]},\"nodes\":\"None assigned\",\"array\":{\"job_id\":3,\"task_id\":{"
		 "\"set\":false,\"infinite\":false,\"number\":0},\"task\":\"0x3F80\"},\"time\":{\"submission\":5,"
		 "\"start\":4294967294,\"end\":20},\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":1},{"
		 "\"type\":\"node\",\"count\":1}]}",
		 "failed array=3 task=13 submit=5 end=20 has=cpu=1,node=1 held_cpus=1 steps=0"},
		/* not while the rest waits, whatever is said of what it has */
		{"\"state\":{\"current\":[\"PENDING\"]},\"nodes\":\"None assigned\",\"array\":{\"job_id\":3,\"task\":\"0x3C\"},"
		 "\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":1},{\"type\":\"node\",\"count\":1}]}",
		 "pending array=3 tasks=4 has=cpu=1,node=1 held_cpus=1 steps=0"},
		/* its ID is not the newest one that Slurm gave */
		{"\"state\":{\"current\":[\"COMPLETED\"]},\"restart_cnt\":2,\"time\":{\"submission\":5}",
		 "completed submit=5 restarts=2 steps=0"},
		/* a rest that was cancelled as its last task was about to start (22.05) */
		{"\"state\":{\"current\":\"CANCELLED\"},\"nodes\":\"None assigned\",\"array\":{\"job_id\":3,\"task_id\":null,"
		 "\"task\":\"0x3C\"},\"time\":{\"submission\":5,\"start\":6,\"end\":6},\"allocation_nodes\":1,"
		 "\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":1},{\"type\":\"mem\",\"count\":500}]}",
		 "cancelled array=3 tasks=4 submit=5 end=6 nodes=1 has=cpu=1,mem=500M steps=0"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[1024], want[256];
		int len = snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":3,%s}]}", rows[i].members);
		snprintf(want, sizeof want, "3 %s\n", rows[i].want);
		check_row(rows[i].members);
		for (size_t step = 1; step < 30; step += 9) {
			struct buf lines = decode(json, (size_t)len, step, describe);
			CHECK_STRING(lines.bytes, want);
			buf_done(&lines);
		}
	}
}

/* A step's members in any order; the second job has none of the first one's. One that used no memory of its GPUs tells
 * 0 of it, which is another thing than nothing. */
static void test_steps(void)
{
	static const char json[] =
		"{\"jobs\":["
		"{\"job_id\":1,\"steps\":["
		"{\"time\":{\"total\":{\"seconds\":2,\"microseconds\":500000}},\"tres\":{\"requested\":{"
		"\"max\":[{\"type\":\"mem\",\"count\":99}],\"total\":[{\"type\":\"cpu\",\"count\":7},"
		"{\"count\":3000,\"type\":\"mem\"},{\"type\":\"vmem\",\"count\":5000},{\"type\":\"gres\",\"name\":\"gpuutil\",\"count\":97},"
		"{\"type\":\"gres\",\"name\":\"gpumem\",\"count\":2000}]}}},"
		"{\"tres\":{\"requested\":{\"total\":[{\"type\":\"mem\",\"count\":1000},{\"count\":7000,\"name\":\"gpumem\","
		"\"type\":\"gres\"}],\"max\":[{\"type\":\"gres\",\"name\":\"gpumem\",\"count\":9000}]}},"
		"\"time\":{\"total\":{\"microseconds\":700000,\"seconds\":0}}},"
		"{\"time\":{\"total\":{\"seconds\":0,\"microseconds\":0}},\"tres\":{\"requested\":{"
		"\"total\":[]}}}],\"state\":{\"current\":[\"COMPLETED\"]}},"
		"{\"job_id\":2,\"steps\":[],\"state\":{\"current\":[\"COMPLETED\"]}},"
		"{\"job_id\":3,\"steps\":[{\"time\":{\"total\":{\"seconds\":0,\"microseconds\":0}}}],"
		"\"state\":{\"current\":[\"NODE_FAIL\"]}},"
		"{\"job_id\":4,\"steps\":[{\"tres\":{\"requested\":{\"total\":[{\"type\":\"gres\",\"name\":\"gpumem\",\"count\":0}]}}}],"
		"\"state\":{\"current\":[\"FAILED\"]}}]}";
	check_row("steps are added up");
	for (size_t step = 1; step < 40; step += 3) {
		struct buf lines = decode(json, sizeof json - 1, step, describe);
		CHECK_STRING(lines.bytes, "1 completed steps=3 cpu_us=3200000 used_bytes=3000 gpu_bytes=7000\n"
					  "2 completed steps=0\n"
					  "3 node_fail steps=1\n"
					  "4 failed steps=1 gpu_bytes=0\n");
		buf_done(&lines);
	}
}

/* job_runs: some jobs of tests/cluster/workload.sh. There is one of each end; others were cancelled before they began,
 * requeued (both runs) or suspended. There is also a het job, and arrays that are whole, partly split, and cancelled
 * whole. */
static const struct {
	const char *paths[5], *wanted;
} recordings[] = {
	/* v0.0.37 has other start times than v0.0.38 */
	{{FIXTURES "/22.05.8/v0.0.37/db_jobs.json"}, ""},
	{{FIXTURES "/22.05.8/v0.0.38/db_jobs.json"}, ""},
	{{FIXTURES "/23.11.11/v0.0.40/db_jobs.json"},
	 "15 timeout user=erin account=bio partition=cpu qos=normal submit=1795438008 eligible=1795438008 "
	 "start=1795438096 end=1795441545 limit=60 exit=0 cpus=1 nodes=1 on=cn04\n"
	 "77 pending array=77 tasks=198 user=heidi\n"
	 "121 running het=120 offset=1 user=alice account=physics partition=gpu\n"
	 "179 node_fail user=alice account=physics partition=cpu qos=normal submit=1795441553 "
	 "eligible=1795441553 start=1795441564 end=1795441571 limit=600 exit=0 cpus=2 nodes=1 on=cn06 "
	 "asked=cpu=2,mem=400M,node=1,billing=2 has=cpu=2,mem=400M,node=1,billing=2 held_cpus=2 "
	 "held_bytes=419430400 steps=3 cpu_us=7992299 used_bytes=6545408\n"},
	{{FIXTURES "/24.05.8/v0.0.40/db_jobs.json", FIXTURES "/24.05.8/v0.0.41/db_jobs.json"},
	 "12 failed user=carol account=physics partition=cpu qos=normal submit=1795438179 "
	 "eligible=1795438179 start=1795438180 end=1795438180 limit=300 signal=9 cpus=1 nodes=1 on=cn04\n"
	 "109 pending+requeued user=judy account=industry partition=cpu qos=normal submit=1795441553 "
	 "eligible=1795441553 start=1795441563 end=1795441565 limit=1800 exit=0 cpus=1 nodes=1 on=cn06\n"
	 "131 suspended user=judy account=industry\n"},
	{{FIXTURES "/24.11.5/v0.0.40/db_jobs.json", FIXTURES "/24.11.5/v0.0.41/db_jobs.json",
	  FIXTURES "/24.11.5/v0.0.42/db_jobs.json"},
	 ""},
	{{FIXTURES "/25.11.7/v0.0.43/db_jobs.json", FIXTURES "/25.11.7/v0.0.44/db_jobs.json"},
	 "15 timeout user=erin account=bio partition=cpu qos=normal submit=1795437992 eligible=1795437992 "
	 "start=1795437993 end=1795438070 limit=60 signal=15 cpus=1\n"
	 "47 node_fail het=47 offset=0 user=alice account=physics partition=cpu qos=normal submit=1795438020 "
	 "eligible=1795438020 start=1795438020 end=1795441571 limit=72000 exit=1 cpus=1 nodes=1 on=cn06\n"
	 "89 timeout array=84 task=1 user=heidi\n"},
	{{FIXTURES "/26.05.5/v0.0.42/db_jobs.json", FIXTURES "/26.05.5/v0.0.43/db_jobs.json",
	  FIXTURES "/26.05.5/v0.0.44/db_jobs.json", FIXTURES "/26.05.5/v0.0.45/db_jobs.json"},
	 ""},
	{{FIXTURES "/26.11.0rc1/v0.0.46/db_jobs.json"},
	 "12 failed user=carol account=physics partition=cpu qos=normal submit=1795444676 "
	 "eligible=1795444676 start=1795444678 end=1795444678 limit=300 signal=9 cpus=1 nodes=1 on=cn03\n"
	 "16 failed user=grace account=industry partition=cpu qos=normal submit=1795444676 "
	 "eligible=1795444676 start=1795444678 end=1795444682 limit=300 exit=137 cpus=1 nodes=1 on=cn04 "
	 "asked=cpu=1,mem=100M,node=1,billing=1 has=cpu=1,mem=100M,node=1,billing=1 held_cpus=1 "
	 "held_bytes=104857600 steps=2 cpu_us=117361 used_bytes=175730688\n"
	 "20 pending+requeued user=judy account=industry partition=cpu qos=normal submit=1795444676 "
	 "eligible=1795444676 start=1795444678 end=1795444688 limit=1800 exit=0 cpus=1 nodes=1 on=cn05\n"
	 "23 failed array=23 task=3 user=bob account=physics partition=cpu qos=normal submit=1795444676 "
	 "eligible=1795444678 start=1795444678 end=1795444678 limit=300 exit=3 cpus=1\n"
	 "33 running user=alice account=physics partition=gpu qos=gpuq submit=1795444704 eligible=1795444704 "
	 "start=1795444704 limit=72000 exit=0 cpus=2 nodes=1 on=gn01 "
	 "asked=cpu=2,mem=16000M,node=1,billing=2,gres/gpu=2,gres/gpu:a100=2\n"
	 "84 pending array=84 tasks=200 user=heidi\n"},
	{{FIXTURES "/job_runs/22.05/v0.0.38.json"},
	 "1 deadline user=frank account=biology partition=cpu qos=normal submit=1795305849 "
	 "eligible=1795305849 end=1795305855 limit=60 exit=0 cpus=1 nodes=0 asked=cpu\n"
	 "11 failed user=carol account=physics partition=cpu qos=normal submit=1795305850 "
	 "eligible=1795305850 start=1795305852 end=1795305853 limit=300 cpus=1\n"
	 "22 cancelled user=heidi account=industry partition=cpu qos=normal submit=1795305853 "
	 "eligible=1795309453 end=1795305853 limit=1800\n"
	 "30 pending+requeued user=kim account=industry partition=cpu qos=normal submit=1795305860 "
	 "eligible=1795305860 start=1795305861 end=1795305862 limit=129600\n"
	 "30 pending user=kim account=industry partition=cpu qos=normal submit=1795305862 "
	 "eligible=1795305983 limit=129600\n"
	 "97 cancelled array=97 tasks=13 user=heidi\n"},
	{{FIXTURES "/job_runs/24.11/v0.0.40.json", FIXTURES "/job_runs/24.11/v0.0.41.json",
	  FIXTURES "/job_runs/24.11/v0.0.42.json"},
	 ""},
	{{FIXTURES "/job_runs/26.05/v0.0.42.json", FIXTURES "/job_runs/26.05/v0.0.43.json",
	  FIXTURES "/job_runs/26.05/v0.0.44.json", FIXTURES "/job_runs/26.05/v0.0.45.json"},
	 "1 deadline user=frank account=biology partition=cpu qos=normal submit=1795305849 "
	 "eligible=1795305849 end=1795305857 limit=60 exit=1 cpus=1 nodes=0 asked=cpu\n"
	 "2 timeout user=erin account=biology partition=cpu qos=normal submit=1795305849 "
	 "eligible=1795305849 start=1795305850 end=1795305877 limit=60 exit=0 cpus=1 nodes=1 on=cn01 "
	 "asked=cpu=1,mem=500M,node=1,billing=1 has=cpu=1,mem=500M,node=1,billing=1 held_cpus=1 "
	 "held_bytes=524288000 steps=1 cpu_us=2144 used_bytes=3555328\n"
	 "11 failed user=carol account=physics partition=cpu qos=normal submit=1795305853 "
	 "eligible=1795305853 start=1795305857 end=1795305857 limit=300 exit=42 cpus=1\n"
	 "12 failed user=carol account=physics partition=cpu qos=normal submit=1795305853 "
	 "eligible=1795305853 start=1795305857 end=1795305857 limit=300 signal=9 cpus=1\n"
	 "22 cancelled user=heidi account=industry partition=cpu qos=normal submit=1795305857 "
	 "eligible=1795309457 end=1795305857 limit=1800\n"
	 "25 preempted user=carol account=physics partition=cpu qos=low submit=1795305858 "
	 "eligible=1795305858 start=1795305858 end=1795305862\n"
	 "25 pending user=carol account=physics partition=cpu qos=low submit=1795305862 "
	 "eligible=1795305873 limit=129600\n"
	 "30 pending+requeued user=kim account=industry partition=cpu qos=normal submit=1795305862 "
	 "eligible=1795305862 start=1795305862 end=1795305862\n"
	 "35 suspended user=judy account=industry partition=cpu qos=normal submit=1795305865 "
	 "eligible=1795305865 start=1795305867 limit=129600\n"
	 "53 running het=52 offset=1 user=omar account=endless partition=gpu qos=endless "
	 "submit=1795305868 eligible=1795305868 start=1795305872 limit=82800 exit=0 cpus=2 nodes=1 "
	 "on=mx01 asked=cpu=2,mem=500M,node=1,billing=2,gres/gpu=1,gres/gpu:h100=1 "
	 "has=cpu=2,mem=500M,node=1,gres/gpu=1,gres/gpu:h100=1 held_cpus=2\n"
	 "94 pending array=94 tasks=27 user=heidi\n"
	 "95 pending array=94 task=17 user=heidi\n"
	 "98 cancelled array=98 tasks=13 user=heidi account=industry partition=cpu qos=normal "
	 "submit=1795306054 eligible=0 end=1795306054\n"},
};

static struct buf read_file(const char *path)
{
	struct buf bytes = BUF_INIT;
	FILE *file = fopen(path, "r");
	CHECK(file != NULL);
	for (size_t got = 1; file && got;) {
		got = fread(buf_reserve(&bytes, 65536), 1, 65536, file);
		bytes.len += got;
	}
	if (file)
		fclose(file);
	return bytes;
}

static struct buf decode_file(const char *path, record_fn *take)
{
	struct buf body = read_file(path);
	struct buf lines = decode(body.bytes ? body.bytes : "", body.len, 4096, take);
	buf_done(&body);
	return lines;
}

static void check_has_lines(const struct buf *lines, struct text wanted)
{
	struct text line;
	while (text_next(&wanted, '\n', &line)) {
		char want[600];
		text_to_string(line, want, sizeof want);
		check_row(want);
		CHECK(strstr(lines->bytes, want) != NULL);
	}
}

/* slurmrestd was asked for the same jobs in all versions of a release, one after the other. Runs that had ended for one
 * version read the same with the next. */
static void test_recorded(const char *const *paths, const char *wanted)
{
	struct buf before = decode_file(paths[0], describe_ended);
	for (const char *const *path = paths; *path; path++) {
		struct buf ended = decode_file(*path, describe_ended);
		struct buf all = decode_file(*path, describe);
		check_row(*path);
		CHECK(ended.len >= before.len && before.len > 3000);
		check_has_lines(&ended, buf_text(&before));
		check_has_lines(&all, text_of(wanted));
		buf_done(&before);
		buf_done(&all);
		before = ended;
	}
	buf_done(&before);
}

/* What slurmctld and slurmdbd said of the same jobs, one after the other, while nothing happened. */
struct jobs {
	struct arena arena;
	struct job items[200];
	size_t count;
};

static void keep_job(void *context, const void *record)
{
	struct jobs *jobs = context;
	if (jobs->count < sizeof jobs->items / sizeof *jobs->items)
		jobs->items[jobs->count++] = job_copy(record, &jobs->arena);
}

static void keep_run(void *context, const void *record)
{
	const struct job_run *run = record;
	keep_job(context, &run->job);
}

static void read_jobs(const struct record_type *type, const char *path, record_fn *keep, struct jobs *jobs)
{
	struct error err = {""};
	struct buf body = read_file(path);
	struct decoder *decoder = decoder_new(type, &vocabulary);
	decoder_start(decoder, keep, jobs);
	CHECK(body.len && decoder_feed(decoder, body.bytes, body.len, &err) && decoder_finish(decoder, &err));
	decoder_free(decoder);
	buf_done(&body);
}

static const struct job *latest(const struct jobs *jobs, uint64_t id)
{
	const struct job *found = NULL;
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i].id == id && (!found || jobs->items[i].submit_time >= found->submit_time))
			found = &jobs->items[i];
	return found;
}

static void check_same_text(struct text got, struct text want)
{
	char texts[2][300];
	text_to_string(got, texts[0], sizeof texts[0]);
	text_to_string(want, texts[1], sizeof texts[1]);
	CHECK_STRING(texts[0], texts[1]);
}

/* All that lib/discovery/job_runs.h takes of a live job. Of one job slurmctld had put the partitions into another order,
 * and it is pending jobs' forecasts that slurmdbd does not have. */
static void check_same_job(const struct job *run, const struct job *job)
{
	bool is_cut;
	CHECK_NUMBER(run->state, job->state);
	CHECK_NUMBER(run->submit_time, job->submit_time);
	CHECK_NUMBER(run->array_job_id, job->array_job_id);
	CHECK_NUMBER(run->array_task_id, job->array_task_id);
	CHECK_NUMBER(run->partitions.len, job->partitions.len);
	check_same_text(run->user, job->user);
	check_same_text(run->account, job->account);
	check_same_text(run->qos, job->qos);
	check_same_text(run->tres_requested, job->tres_requested);
	check_same_text(run->reservation, job->reservation);
	check_same_text(run->node_list, job->node_list);
	if (job_count(job, &is_cut) != job_count(run, &is_cut))
		CHECK(strstr(job->array_tasks.bytes, "...") && job_count(run, &is_cut) > 20);
	if (job->state == JOB_PENDING)
		return;
	CHECK_NUMBER(run->start_time, job->start_time);
	CHECK_NUMBER(run->time_limit, job->time_limit);
	check_same_text(run->tres_allocated, job->tres_allocated);
}

static void test_same_as_slurmctld(const char *jobs_path, const char *runs_path)
{
	struct jobs jobs = {.count = 0}, runs = {.count = 0};
	size_t live = 0;
	check_row(jobs_path);
	read_jobs(&job_record, jobs_path, keep_job, &jobs);
	read_jobs(&job_run_record, runs_path, keep_run, &runs);
	for (size_t i = 0; i < jobs.count; i++) {
		const struct job *job = &jobs.items[i], *run = latest(&runs, job->id);
		char name[200];
		snprintf(name, sizeof name, "%s: %" PRIu64, jobs_path, job->id);
		check_row(name);
		CHECK(run != NULL);
		if (!run || job->state > JOB_SUSPENDED)
			continue;
		check_same_job(run, job);
		live++;
	}
	CHECK_NUMBER(live, 70 + (strstr(jobs_path, "26.05") != NULL));
	arena_done(&jobs.arena);
	arena_done(&runs.arena);
}

static void test_queries(void)
{
	static const struct {
		const char *version, *cluster;
		bool with_steps;
		const char *ids, *ended; /* up to the first state */
	} rows[] = {
		{"v0.0.45", "lab", false,
		 "?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true&cluster=lab"
		 "&start_time=50&step=17&step=4294967295",
		 "?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true&cluster=lab"
		 "&start_time=100&end_time=200"},
		{"v0.0.42", "", true,
		 "?skip_steps=false&show_duplicates=true&disable_truncate_usage_time=true"
		 "&start_time=50&step=17&step=4294967295",
		 "?skip_steps=false&show_duplicates=true&disable_truncate_usage_time=true"
		 "&start_time=100&end_time=200"},
		{"v0.0.40", "a b,c", false,
		 "?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"
		 "&cluster=a%20b%2Cc&start_time=uts50&step=17&step=4294967295",
		 "?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"
		 "&cluster=a%20b%2Cc&start_time=uts100&end_time=uts200"},
		{"v0.0.38", "lab", false, "?skip_steps=true&cluster=lab&start_time=uts50&step=17%2C4294967295",
		 "?skip_steps=true&cluster=lab&start_time=uts99&end_time=uts200"},
	};
	static const char repeated[] =
		"&state=COMPLETED&state=CANCELLED&state=FAILED&state=TIMEOUT&state=NODE_FAIL"
		"&state=PREEMPTED&state=BOOT_FAIL&state=DEADLINE&state=OUT_OF_MEMORY&state=RESIZING&state=REQUEUED";
	static const char joined[] =
		"&state=COMPLETED%2CCANCELLED%2CFAILED%2CTIMEOUT%2CNODE_FAIL%2CPREEMPTED%2CBOOT_FAIL"
		"%2CDEADLINE%2COUT_OF_MEMORY%2CRUNNING";
	static const struct job_runs_name names[] = {{17, NUMBER_UNSET}, {4294967295, NUMBER_UNSET}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct api_version *version = api_versions;
		while (strcmp(version->name, rows[i].version) != 0)
			version++;
		const struct job_runs_query query = {version, rows[i].cluster, rows[i].with_steps};
		struct buf got = BUF_INIT, want = BUF_INIT;
		check_row(rows[i].version);
		job_runs_query_names(&query, names, 2, 50, &got);
		CHECK_STRING(got.bytes, rows[i].ids);
		buf_clear(&got);
		job_runs_query_ended(&query, 100, 200, true, &got);
		buf_printf(&want, "%s%s", rows[i].ended, version->repeats_lists ? repeated : joined);
		CHECK_STRING(got.bytes, want.bytes);
		struct buf shorter = BUF_INIT;
		job_runs_query_ended(&query, 100, 200, false, &shorter);
		CHECK(shorter.len < got.len && strstr(shorter.bytes, "start_time=") &&
		      strstr(shorter.bytes, "COMPLETED"));
		CHECK(!strstr(shorter.bytes, "REQUEUED") && !strstr(shorter.bytes, "RUNNING"));
		buf_done(&shorter);
		buf_done(&got);
		buf_done(&want);
	}
}

int main(void)
{
	vocabulary_init(&vocabulary);
	test_members();
	test_steps();
	for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
		test_recorded(recordings[i].paths, recordings[i].wanted);
	test_same_as_slurmctld(FIXTURES "/job_runs/live/24.11-jobs.json", FIXTURES "/job_runs/live/24.11-runs.json");
	test_same_as_slurmctld(FIXTURES "/job_runs/live/26.05-jobs.json", FIXTURES "/job_runs/live/26.05-runs.json");
	test_queries();
	vocabulary_done(&vocabulary);
	return check_done();
}
