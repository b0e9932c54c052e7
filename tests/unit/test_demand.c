/* What jobs that could start ask for, and what is idle while none of them fits there. */
#include "page.h"

#include <inttypes.h>

#define MIB (UINT64_C(1) << 20)
#define JOBS "slurm_partition_startable_jobs"
#define STARTABLE "slurm_partition_startable_job_"
#define CPUS "slurm_partition_stranded_cpus"
#define GPUS "slurm_partition_stranded_gpus"

enum { LINES = 8 };

struct waiting {
	const char *partitions, *tres, *gres_per_node; /* NULL: no such job */
	uint64_t nodes_max, cpus_per_node, mib_per_cpu, mib_per_node;
	const char *array_tasks, *reason; /* NULL: none, Resources */
};

struct machine {
	const char *partitions; /* NULL: no such node */
	uint64_t idle_cpus, idle_mib;
	const char *gres, *gres_used;
	uint64_t flags;
	int state; /* 0: mixed */
	uint64_t kept_cpus, kept_mib; /* by the system, of those that are idle */
	bool is_old; /* slurmrestd does not tell of these */
};

struct world {
	const char *name;
	struct machine nodes[LINES];
	struct waiting jobs[LINES];
	struct page_sample samples[LINES];
};

static struct text text_or_none(const char *string)
{
	return string ? text_of(string) : TEXT("");
}

static struct node node_of(const struct machine *machine, struct text name)
{
	return (struct node){
		.name = name,
		.state = machine->state ? machine->state : NODE_MIXED,
		.flags = machine->flags,
		.partitions = text_of(machine->partitions),
		.cpus = machine->idle_cpus + 7,
		.allocated_cpus = 7,
		.memory = (machine->idle_mib + 5) * MIB,
		.allocated_memory = 5 * MIB,
		.effective_cpus = machine->is_old ? NUMBER_UNSET : machine->idle_cpus + 7 - machine->kept_cpus,
		.effective_memory = machine->is_old ? NUMBER_UNSET : (machine->idle_mib + 5 - machine->kept_mib) * MIB,
		.gres = text_or_none(machine->gres),
		.gres_used = text_or_none(machine->gres_used)};
}

static struct job job_of(const struct waiting *waiting, uint64_t id)
{
	return (struct job){.id = id,
			    .array_task_id = NUMBER_UNSET,
			    .array_job_id = waiting->array_tasks ? id : 0,
			    .array_tasks = text_or_none(waiting->array_tasks),
			    .state = JOB_PENDING,
			    .user = TEXT("ann"),
			    .account = TEXT("bio"),
			    .partitions = text_of(waiting->partitions),
			    .qos = TEXT("normal"),
			    .reason = text_of(waiting->reason ? waiting->reason : "Resources"),
			    .memory_per_node = waiting->mib_per_node ? waiting->mib_per_node * MIB : NUMBER_UNSET,
			    .memory_per_cpu = waiting->mib_per_cpu ? waiting->mib_per_cpu * MIB : NUMBER_UNSET,
			    .nodes_max = waiting->nodes_max,
			    .cpus_per_node = waiting->cpus_per_node,
			    .gres_per_node = text_or_none(waiting->gres_per_node),
			    .tres_requested = text_of(waiting->tres)};
}

static void add_nodes(struct cluster *cluster, const struct machine *nodes, size_t count)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_NODES, cluster, 0);
	for (size_t i = 0; i < count && nodes[i].partitions; i++) {
		char name[32];
		snprintf(name, sizeof name, "n%zu", i);
		struct node node = node_of(&nodes[i], text_of(name));
		section_take(ENDPOINT_NODES)(&build, &node);
	}
	section_commit(ENDPOINT_NODES, cluster, build.built);
}

static void add_jobs(struct cluster *cluster, const struct waiting *jobs, size_t count)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_JOBS, cluster, 0);
	for (size_t i = 0; i < count && jobs[i].partitions; i++) {
		struct job job = job_of(&jobs[i], i + 1);
		section_take(ENDPOINT_JOBS)(&build, &job);
	}
	section_commit(ENDPOINT_JOBS, cluster, build.built);
}

static void check_world(const struct world *world)
{
	struct cluster cluster;
	size_t samples = 0;
	cluster_init(&cluster);
	add_nodes(&cluster, world->nodes, LINES);
	add_jobs(&cluster, world->jobs, LINES);
	while (samples < LINES && world->samples[samples].series)
		samples++;
	printf("%s\n", world->name);
	page_check(&cluster, world->samples, samples);
	cluster_done(&cluster);
}

#define FLAG(flag) (UINT64_C(1) << NODE_FLAG_##flag)

/* The rest is as zeroed. */
#define NODE(name, cpus, mib, ...)                                                                                     \
	{                                                                                                              \
		.partitions = (name), .idle_cpus = (cpus), .idle_mib = (mib), __VA_ARGS__                              \
	}
#define JOB(name, list, ...)                                                                                           \
	{                                                                                                              \
		.partitions = (name), .tres = (list), __VA_ARGS__                                                      \
	}

static const struct world needs[] = {
	{"CPUs that may be spread need one of a node",
	 {NODE("cpu", 3, 100), NODE("cpu", 5, 100)},
	 {JOB("cpu", "cpu=6,node=1")},
	 {{CPUS "{partition=\"cpu\"}", 0}, {GPUS "{partition=\"cpu\"}", NAN}}},
	{"those of one node need all",
	 {NODE("cpu", 3, 100), NODE("cpu", 5, 100), NODE("cpu", 6, 100)},
	 {JOB("cpu", "cpu=6,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 8}}},
	{"two nodes at most are not one",
	 {NODE("cpu", 3, 100)},
	 {JOB("cpu", "cpu=6,node=2", .nodes_max = 2)},
	 {{CPUS "{partition=\"cpu\"}", 0}}},
	{"a task with four CPUs",
	 {NODE("cpu", 3, 100), NODE("cpu", 4, 100)},
	 {JOB("cpu", "cpu=16,node=1", .cpus_per_node = 4)},
	 {{CPUS "{partition=\"cpu\"}", 3}}},
	{"memory of a node is what lacks",
	 {NODE("cpu", 90, 1023), NODE("cpu", 1, 1024)},
	 {JOB("cpu", "cpu=1,mem=1G,node=1", .cpus_per_node = 1, .mib_per_node = 1024)},
	 {{CPUS "{partition=\"cpu\"}", 90}}},
	{"memory of each CPU, of all of one node",
	 {NODE("cpu", 90, 3999), NODE("cpu", 4, 4000)},
	 {JOB("cpu", "cpu=4,mem=4000M,node=1", .nodes_max = 1, .cpus_per_node = 1, .mib_per_cpu = 1000)},
	 {{CPUS "{partition=\"cpu\"}", 90}}},
	{"memory of each CPU, of one that may be spread",
	 {NODE("cpu", 90, 999), NODE("cpu", 1, 1000)},
	 {JOB("cpu", "cpu=4,mem=4000M,node=1", .cpus_per_node = 1, .mib_per_cpu = 1000)},
	 {{CPUS "{partition=\"cpu\"}", 90}}},
	{"the TRES tell memory of --mem=0 that no node has",
	 {NODE("cpu", 90, 1)},
	 {JOB("cpu", "cpu=1,mem=99T,node=1", .nodes_max = 1, .cpus_per_node = 1)},
	 {{CPUS "{partition=\"cpu\"}", 0}}},
	{"CPUs that the system keeps are neither of use nor stranded",
	 {NODE("cpu", 8, 100, .kept_cpus = 2), NODE("cpu", 3, 100, .kept_cpus = 3),
	  NODE("cpu", 1, 100, .kept_cpus = 4)},
	 {JOB("cpu", "cpu=7,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 6}}},
	{"nor is a node whose idle memory the system keeps",
	 {NODE("cpu", 8, 1024, .kept_mib = 1), NODE("cpu", 3, 1025, .kept_mib = 1)},
	 {JOB("cpu", "cpu=1,mem=1G,node=1", .cpus_per_node = 1, .mib_per_node = 1024)},
	 {{CPUS "{partition=\"cpu\"}", 8}}},
	{"22.05 does not tell what it keeps",
	 {NODE("cpu", 8, 1024, .is_old = true)},
	 {JOB("cpu", "cpu=9,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 8}}},
	{"one job that fits is enough",
	 {NODE("cpu", 3, 100), NODE("cpu", 1, 50)},
	 {JOB("cpu", "cpu=60,node=1", .nodes_max = 1), JOB("cpu", "cpu=2,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 1}}},
	{"neither of two is smaller",
	 {NODE("cpu", 8, 10), NODE("cpu", 2, 1000), NODE("cpu", 7, 999)},
	 {JOB("cpu", "cpu=8,node=1", .nodes_max = 1), JOB("cpu", "cpu=1,node=1", .nodes_max = 1, .mib_per_node = 1000)},
	 {{CPUS "{partition=\"cpu\"}", 7}}},
	{"more nodes than there are, each of which would do",
	 {NODE("cpu", 4, 10), NODE("cpu", 3, 10)},
	 {JOB("cpu", "cpu=20000,node=5000", .nodes_max = 5000, .cpus_per_node = 4)},
	 {{CPUS "{partition=\"cpu\"}", 3}, {STARTABLE "nodes{partition=\"cpu\",gpus=\"0\"}", 5000}}},
	{"numbers that nobody can mean",
	 {NODE("cpu", 4, 10)},
	 {JOB("cpu", "cpu=9000000000000000000,node=1", .nodes_max = 1, .mib_per_cpu = UINT64_C(1) << 43)},
	 {{CPUS "{partition=\"cpu\"}", 4}}},
	{"a het job: each part where it asks",
	 {NODE("cpu", 4, 10), NODE("gpu", 4, 10, .gres = "gpu:2", .gres_used = "gpu:1")},
	 {JOB("cpu", "cpu=5,node=1", .nodes_max = 1),
	  JOB("gpu", "cpu=1,node=1,gres/gpu=2", .gres_per_node = "gres/gpu:2", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 4},
	  {CPUS "{partition=\"gpu\"}", 4},
	  {GPUS "{partition=\"gpu\"}", 1},
	  {JOBS "{partition=\"gpu\",gpus=\"2-3\"}", 1}}},
};

static const struct world of_gpus[] = {
	{"typed, each beside another",
	 {NODE("gpu", 4, 10, .gres = "gpu:a100:4,gpu:h100:4", .gres_used = "gpu:a100:3,gpu:h100:2")},
	 {JOB("gpu", "cpu=1,node=1,gres/gpu=2", .gres_per_node = "gres/gpu:a100:2", .nodes_max = 1)},
	 {{CPUS "{partition=\"gpu\"}", 4},
	  {GPUS "{partition=\"gpu\",type=\"a100\"}", 1},
	  {GPUS "{partition=\"gpu\",type=\"h100\"}", 2},
	  {JOBS "{partition=\"gpu\",type=\"a100\",gpus=\"2-3\"}", 1},
	  {STARTABLE "gpus{partition=\"gpu\",type=\"a100\",gpus=\"2-3\"}", 2}}},
	{"untyped: of two types together",
	 {NODE("gpu", 4, 10, .gres = "gpu:a100:4,gpu:h100:4", .gres_used = "gpu:a100:3,gpu:h100:3")},
	 {JOB("gpu", "cpu=1,node=1,gres/gpu=2", .gres_per_node = "gres:gpu:2", .nodes_max = 1)},
	 {{CPUS "{partition=\"gpu\"}", 0},
	  {GPUS "{partition=\"gpu\",type=\"a100\"}", 0},
	  {GPUS "{partition=\"gpu\",type=\"h100\"}", 0}}},
	{"a node without types may have any",
	 {NODE("gpu", 4, 10, .gres = "gpu:4", .gres_used = "gpu:2"),
	  NODE("gpu", 4, 10, .gres = "gpu:4", .gres_used = "gpu:3")},
	 {JOB("gpu", "cpu=1,node=1,gres/gpu=2", .gres_per_node = "gres/gpu:a100:2", .nodes_max = 1)},
	 {{CPUS "{partition=\"gpu\"}", 4}, {GPUS "{partition=\"gpu\"}", 1}}},
	{"CPUs lack where GPUs are idle; a job without GPUs helps the CPUs only",
	 {NODE("gpu", 1, 10, .gres = "gpu:a100:4", .gres_used = "gpu:a100:0")},
	 {JOB("gpu", "cpu=2,node=1,gres/gpu=1", .gres_per_node = "gres/gpu:1", .nodes_max = 1),
	  JOB("gpu", "cpu=1,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"gpu\"}", 0}, {GPUS "{partition=\"gpu\",type=\"a100\"}", 4}}},
	{"no job asks for GPUs",
	 {NODE("gpu", 1, 10, .gres = "gpu:a100:4", .gres_used = "gpu:a100:0")},
	 {JOB("gpu", "cpu=2,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"gpu\"}", 1}, {GPUS "{partition=\"gpu\",type=\"a100\"}", NAN}}},
	{"eight that may be spread need one of a node; on one node, eight",
	 {NODE("gpu", 1, 10, .gres = "gpu:a100:8", .gres_used = "gpu:a100:7"),
	  NODE("one", 1, 10, .gres = "gpu:a100:8", .gres_used = "gpu:a100:7")},
	 {JOB("gpu", "cpu=1,node=1,gres/gpu=8"), JOB("one", "cpu=1,node=1,gres/gpu=8", .nodes_max = 1)},
	 {{GPUS "{partition=\"gpu\",type=\"a100\"}", 0},
	  {GPUS "{partition=\"one\",type=\"a100\"}", 1},
	  {STARTABLE "gpus{partition=\"gpu\",gpus=\"1\"}", 8},
	  {STARTABLE "gpus{partition=\"one\",gpus=\"8-15\"}", 8}}},
	{"of two types at once: as many of any",
	 {NODE("gpu", 1, 10, .gres = "gpu:a100:2,gpu:h100:2", .gres_used = "gpu:a100:0,gpu:h100:1"),
	  NODE("gpu", 1, 10, .gres = "gpu:a100:2", .gres_used = "gpu:a100:0")},
	 {JOB("gpu", "cpu=1,node=1,gres/gpu=3", .gres_per_node = "gres/gpu:a100:2,gres/gpu:h100:1", .nodes_max = 1)},
	 {{GPUS "{partition=\"gpu\",type=\"a100\"}", 2},
	  {GPUS "{partition=\"gpu\",type=\"h100\"}", 0},
	  {JOBS "{partition=\"gpu\",gpus=\"2-3\"}", 1}}},
	{"GPUs that AccountingStorageTRES does not name, and other GRES",
	 {NODE("gpu", 1, 10, .gres = "gpu:a100:4,nic:2", .gres_used = "gpu:a100:4,nic:0")},
	 {JOB("gpu", "cpu=2,node=2", .gres_per_node = "gres/nic:1,gres/gpu:a100:1", .nodes_max = 2,
	      .cpus_per_node = 1)},
	 {{CPUS "{partition=\"gpu\"}", 1},
	  {GPUS "{partition=\"gpu\",type=\"a100\"}", 0},
	  {STARTABLE "gpus{partition=\"gpu\",type=\"a100\",gpus=\"1\"}", 2}}},
};

static const struct world others[] = {
	{"the rest of an array, and jobs of several partitions",
	 {NODE("cpu,big", 3, 10), NODE("big", 1, 10)},
	 {JOB("cpu,big", "cpu=2,mem=1G,node=1", .nodes_max = 1, .cpus_per_node = 1, .mib_per_node = 5,
	      .array_tasks = "0-199%7"),
	  JOB("big,big", "cpu=4,mem=1G,node=1", .nodes_max = 1)},
	 {{JOBS "{partition=\"cpu\",gpus=\"0\"}", 200},
	  {JOBS "{partition=\"big\",gpus=\"0\"}", 201},
	  {STARTABLE "cpus{partition=\"big\",gpus=\"0\"}", 404},
	  {STARTABLE "memory_bytes{partition=\"cpu\",gpus=\"0\"}", 200 * 0x1p30},
	  {STARTABLE "gpus{partition=\"cpu\",gpus=\"0\"}", NAN},
	  {CPUS "{partition=\"cpu\"}", 0},
	  {CPUS "{partition=\"big\"}", 1}}},
	{"what waits for something else has no shape",
	 {NODE("cpu", 1, 10)},
	 {JOB("cpu", "cpu=2,node=1", .nodes_max = 1, .reason = "JobHeldUser"),
	  JOB("cpu", "cpu=2,node=1", .nodes_max = 1, .reason = "Dependency"),
	  JOB("cpu", "cpu=2,node=1", .nodes_max = 1, .reason = "QOSGrpCpuLimit")},
	 {{JOBS "{partition=\"cpu\",gpus=\"0\"}", NAN}, {CPUS "{partition=\"cpu\"}", NAN}}},
	{"nodes that get no jobs",
	 {NODE("cpu", 1, 10, .flags = FLAG(DRAIN)), NODE("cpu", 2, 10, .flags = FLAG(RESERVED)),
	  NODE("cpu", 4, 10, .flags = FLAG(MAINT)), NODE("cpu", 8, 10, .flags = FLAG(NOT_RESPONDING)),
	  NODE("cpu", 16, 10, .state = NODE_DOWN), NODE("cpu", 32, 10, .flags = FLAG(PLANNED)),
	  NODE("cpu", 64, 10, .flags = FLAG(COMPLETING)), NODE("cpu", 128, 10, .state = NODE_FUTURE)},
	 {JOB("cpu", "cpu=1000,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"cpu\"}", 32 + 64}}},
	{"a partition without nodes",
	 {NODE("cpu", 1, 10)},
	 {JOB("empty", "cpu=1,node=1", .nodes_max = 1)},
	 {{CPUS "{partition=\"empty\"}", 0}, {CPUS "{partition=\"cpu\"}", NAN}}},
};

#define CHECK_WORLDS(worlds)                                                                                           \
	for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)                                                    \
	check_world(&worlds[i])

/* Until slurmctld says what a job needs, it needs what any job needs. Until nodes are known, nothing is compared. */
static void test_not_known(void)
{
	static const struct machine node[] = {NODE("gpu", 1, 10, .gres = "gpu:a100:2", .gres_used = "gpu:a100:1")};
	static const struct waiting wide[] = {JOB("gpu", "cpu=64,node=1,gres/gpu=8", .nodes_max = 1),
					      JOB("gpu", "cpu=32,node=1", .nodes_max = 1)};
	static const struct page_sample before[] = {{JOBS "{partition=\"gpu\",gpus=\"8-15\"}", 1},
						    {CPUS "{partition=\"gpu\"}", NAN},
						    {GPUS "{partition=\"gpu\",type=\"a100\"}", NAN}};
	static const struct page_sample known[] = {{CPUS "{partition=\"gpu\"}", 1},
						   {GPUS "{partition=\"gpu\",type=\"a100\"}", 1}};
	static const struct page_sample requeued[] = {{JOBS "{partition=\"gpu\",gpus=\"1\"}", 1},
						      {JOBS "{partition=\"gpu\",gpus=\"8-15\"}", NAN},
						      {STARTABLE "gpus{partition=\"gpu\",gpus=\"1\"}", 8},
						      {JOBS "{partition=\"gpu\",gpus=\"0\"}", 1},
						      {CPUS "{partition=\"gpu\"}", 0},
						      {GPUS "{partition=\"gpu\",type=\"a100\"}", 0}};
	static const struct page_sample running[] = {{JOBS "{partition=\"gpu\",gpus=\"1\"}", NAN},
						     {CPUS "{partition=\"gpu\"}", NAN}};
	struct cluster cluster;
	cluster_init(&cluster);
	add_jobs(&cluster, wide, 2);
	page_check(&cluster, before, sizeof before / sizeof *before);
	add_nodes(&cluster, node, 1);
	page_check(&cluster, known, sizeof known / sizeof *known);
	for (uint64_t id = 1; id <= 2; id++) {
		struct job job = job_of(&wide[id - 1], id);
		job.state = JOB_RUNNING;
		job.reason = TEXT("None");
		job.tres_allocated = job.tres_requested;
		CHECK(job_table_put(cluster.job_table, &job, 10));
	}
	page_check(&cluster, running, sizeof running / sizeof *running);
	for (uint64_t id = 1; id <= 2; id++)
		CHECK(job_table_set_state(cluster.job_table, id, JOB_PENDING, 0, 20));
	page_check(&cluster, requeued, sizeof requeued / sizeof *requeued);
	cluster_done(&cluster);
}

/* Numbers that 64 bits do not have: they are the largest, not small ones, and take nothing from others. */
static void test_large(void)
{
	static const struct page_sample together[] = {
		{"slurm_cluster_job_memory_bytes{state=\"pending\"}", 0x1p64},
		{"slurm_user_job_memory_bytes{user=\"u\",account=\"x\",state=\"pending\"}", 0x1p64},
		{"slurm_cluster_job_gres{gres=\"tmp\",state=\"pending\"}", 0x1p64},
		{"slurm_cluster_job_cpus{state=\"pending\"}", 4000001 * 640.0 + 1},
		{STARTABLE "memory_bytes{partition=\"p\",gpus=\"0\"}", 0x1p64},
	};
	static const struct page_sample small[] = {
		{"slurm_cluster_job_memory_bytes{state=\"pending\"}", 1 << 30},
		{"slurm_cluster_job_gres{gres=\"tmp\",state=\"pending\"}", 7},
		{STARTABLE "memory_bytes{partition=\"p\",gpus=\"0\"}", 1 << 30},
	};
	struct cluster cluster;
	cluster_init(&cluster);
	struct job job = {.id = 1,
			  .array_job_id = 1,
			  .array_task_id = NUMBER_UNSET,
			  .array_tasks = TEXT("0-4000000"),
			  .state = JOB_PENDING,
			  .user = TEXT("u"),
			  .account = TEXT("x"),
			  .partitions = TEXT("p"),
			  .qos = TEXT("q"),
			  .reason = TEXT("Resources"),
			  .memory_per_node = NUMBER_UNSET,
			  .memory_per_cpu = NUMBER_UNSET,
			  .tres_requested = TEXT("cpu=640,mem=5T,node=10,gres/tmp=5497558138880")};
	CHECK(job_table_put(cluster.job_table, &job, 0));
	job.id = 2;
	job.array_job_id = 0;
	job.array_tasks = TEXT("");
	job.tres_requested = TEXT("cpu=1,mem=1G,node=1,gres/tmp=7");
	CHECK(job_table_put(cluster.job_table, &job, 0));
	cluster_show_jobs(&cluster, true);
	page_check(&cluster, together, sizeof together / sizeof *together);
	CHECK(job_table_remove(cluster.job_table, 1));
	page_check(&cluster, small, sizeof small / sizeof *small);
	check_row("a request without TRES, as of old releases");
	job.tres_requested = TEXT("");
	job.nodes = 4000;
	job.memory_per_node = UINT64_C(1) << 62;
	CHECK(job_table_put(cluster.job_table, &job, 0));
	page_check(&cluster, together, 1);
	cluster_done(&cluster);
}

/* Partitions without a row share one, in which a job and a node count once. */
static void test_folded(void)
{
	static const struct machine nodes[] = {NODE("a", 1, 10, .gres = "gpu:2", .gres_used = "gpu:1"),
					       NODE("b", 2, 10, .gres = "gpu:2", .gres_used = "gpu:1"),
					       NODE("c", 4, 10, .gres = "gpu:2", .gres_used = "gpu:1"),
					       NODE("b,c", 6, 10)};
	static const struct waiting jobs[] = {JOB("a,b,c", "cpu=8,node=1,gres/gpu=2", .nodes_max = 1),
					      JOB("a", "cpu=9,node=1", .nodes_max = 1)};
	static const struct page_sample samples[] = {{CPUS "{partition=\"a\"}", 1},
						     {CPUS "{partition=\"b\"}", NAN},
						     {CPUS "{partition=\"other\"}", 2 + 4 + 6},
						     {GPUS "{partition=\"other\"}", 2},
						     {JOBS "{partition=\"other\",gpus=\"2-3\"}", 1},
						     {STARTABLE "cpus{partition=\"other\",gpus=\"2-3\"}", 8},
						     {JOBS "{partition=\"other\",gpus=\"0\"}", NAN}};
	struct cluster cluster;
	cluster_init(&cluster);
	cluster.caps.kinds[ENTITY_PARTITION].max = 1;
	add_nodes(&cluster, nodes, sizeof nodes / sizeof *nodes);
	add_jobs(&cluster, jobs, 2);
	page_check(&cluster, samples, sizeof samples / sizeof *samples);
	cluster_done(&cluster);
}

/* Shapes beyond the limit share one; nothing is lost. */
static void test_many_shapes(void)
{
	enum { TYPES = 100 };
	struct cluster cluster;
	struct section_build build = {.cluster = &cluster};
	double jobs = 0;
	unsigned series = 0;
	cluster_init(&cluster);
	build.built = section_start(ENDPOINT_JOBS, &cluster, 0);
	for (uint64_t id = 1; id <= TYPES; id++) {
		char gres[32];
		snprintf(gres, sizeof gres, "gres/gpu:t%" PRIu64 ":1", id);
		const struct waiting waiting = JOB("gpu", "cpu=1,node=1", .gres_per_node = gres, .nodes_max = 1);
		struct job job = job_of(&waiting, id);
		section_take(ENDPOINT_JOBS)(&build, &job);
	}
	section_commit(ENDPOINT_JOBS, &cluster, build.built);
	struct buf page = page_of(&cluster);
	for (const char *at = page.bytes; (at = strstr(at, "\n" JOBS "{")); at++, series++)
		jobs += strtod(strchr(at + 1, ' '), NULL);
	CHECK_NUMBER(jobs, TYPES);
	CHECK_NUMBER(series, DEMAND_SHAPES_MAX + 1);
	CHECK_NUMBER(page_value(&page, JOBS "{partition=\"gpu\",type=\"other\",gpus=\"other\"}"),
		     TYPES - DEMAND_SHAPES_MAX);
	buf_done(&page);
	cluster_done(&cluster);
}

/* Against each job and each node */

enum { MACHINES = 40, WAITING = 60, ROUNDS = 300, MOST = 40 /* CPUs, or MiB, of a job */ };

static uint64_t below(uint64_t limit)
{
	static uint64_t state = 7;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

struct asked {
	uint64_t cpus, mib, gpus;
	unsigned type; /* 0: any */
};
struct had {
	uint64_t cpus, mib, gpus[3]; /* by type; 0: of no type */
};

static bool would_fit(const struct asked *asked, const struct had *had)
{
	uint64_t gpus = had->gpus[0];
	for (unsigned type = 1; type < 3; type++)
		gpus += !asked->type || asked->type == type ? had->gpus[type] : 0;
	return asked->cpus <= had->cpus && asked->mib <= had->mib && asked->gpus <= gpus;
}

struct stranded {
	double cpus, gpus[3];
	bool has_gpus;
};

static struct stranded strand(const struct asked *asked, const struct had *had)
{
	struct stranded sum = {0};
	for (size_t node = 0; node < MACHINES; node++) {
		bool is_used = false, are_used[3] = {false};
		for (size_t job = 0; job < WAITING; job++) {
			bool fits = would_fit(&asked[job], &had[node]);
			is_used |= fits;
			for (unsigned type = 0; type < 3 && asked[job].gpus; type++)
				are_used[type] |= fits && (!type || !asked[job].type || asked[job].type == type);
			sum.has_gpus |= asked[job].gpus > 0;
		}
		sum.cpus += is_used ? 0 : (double)had[node].cpus;
		for (unsigned type = 0; type < 3; type++)
			sum.gpus[type] += are_used[type] ? 0 : (double)had[node].gpus[type];
	}
	return sum;
}

/* `is_trade`: the more CPUs a job asks for the less memory, so that no need is within another. */
static void add_random(struct cluster *cluster, struct asked *asked, struct had *had, bool is_trade)
{
	static const char *const types[] = {"", ":t1", ":t2"};
	static char gres[MACHINES][96], used[MACHINES][96], tres[WAITING][64], per_node[WAITING][64];
	struct machine nodes[MACHINES];
	struct waiting jobs[WAITING];
	for (size_t i = 0; i < MACHINES; i++) {
		had[i] = (struct had){1 + below(30), below(30), {below(3), below(5), below(5)}};
		snprintf(gres[i], sizeof gres[i], "gpu:%d,gpu:t1:%d,gpu:t2:%d", (int)had[i].gpus[0],
			 (int)had[i].gpus[1], (int)had[i].gpus[2]);
		snprintf(used[i], sizeof used[i], "gpu:0,gpu:t1:0,gpu:t2:0");
		nodes[i] = (struct machine)NODE("p", had[i].cpus, had[i].mib, .gres = gres[i], .gres_used = used[i]);
	}
	for (size_t i = 0; i < WAITING; i++) {
		uint64_t cpus = 1 + below(MOST), mib = is_trade ? 1 + MOST - cpus : 1 + below(MOST);
		asked[i] = (struct asked){cpus, mib, below(3) ? 0 : below(9), (unsigned)below(3)};
		snprintf(tres[i], sizeof tres[i], "cpu=%d,node=1", (int)asked[i].cpus);
		snprintf(per_node[i], sizeof per_node[i], "gres/gpu%s:%d", types[asked[i].type], (int)asked[i].gpus);
		jobs[i] = (struct waiting)JOB("p", tres[i], .gres_per_node = asked[i].gpus ? per_node[i] : NULL,
					      .nodes_max = 1, .cpus_per_node = 1, .mib_per_node = asked[i].mib);
	}
	add_nodes(cluster, nodes, MACHINES);
	add_jobs(cluster, jobs, WAITING);
}

/* As long as there are few different needs the figures are exact. With more they never claim more. */
static void test_random(void)
{
	unsigned exact = 0, stranded = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		static const char *const series[] = {GPUS "{partition=\"p\"}", GPUS "{partition=\"p\",type=\"t1\"}",
						     GPUS "{partition=\"p\",type=\"t2\"}"};
		struct asked asked[WAITING];
		struct had had[MACHINES];
		struct cluster cluster;
		cluster_init(&cluster);
		add_random(&cluster, asked, had, round % 3 == 0);
		const struct stranded want = strand(asked, had);
		struct buf page = page_of(&cluster);
		const struct demand *demand = map_find(&cluster.demands->partitions, TEXT("p"));
		double cpus = page_value(&page, CPUS "{partition=\"p\"}");
		bool is_exact = demand->needs.count < NODE_NEEDS_MAX && demand->gpu_needs.count < NODE_NEEDS_MAX;
		CHECK(is_exact ? cpus == want.cpus : cpus <= want.cpus);
		for (unsigned type = 0; type < 3 && want.has_gpus; type++) {
			double gpus = page_value(&page, series[type]);
			CHECK(is_exact ? gpus == want.gpus[type] : gpus <= want.gpus[type]);
		}
		exact += is_exact;
		stranded += cpus > 0;
		buf_done(&page);
		cluster_done(&cluster);
	}
	printf("%u of %d rounds exact, %u with CPUs stranded\n", exact, ROUNDS, stranded);
	CHECK(exact > ROUNDS / 4 && exact < ROUNDS && stranded > ROUNDS / 4);
}

int main(void)
{
	CHECK_WORLDS(needs);
	CHECK_WORLDS(of_gpus);
	CHECK_WORLDS(others);
	check_row(NULL);
	test_not_known();
	test_folded();
	test_large();
	test_many_shapes();
	test_random();
	return check_done();
}
