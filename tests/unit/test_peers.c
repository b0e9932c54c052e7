/* Wrong numbers that other exporters of Slurm have shown: answers in, page out. Each is a row named after what it
 * prevents and where it was seen. "native" is slurmctld's own endpoint (26.05), "jontk" is jontk/slurm-exporter 0.3. */
#include "page.h"

#define STRING(token) #token
#define JOB_NUMBER(id) "{'job_id':" STRING(id) ","
#define J JOB_NUMBER(__COUNTER__) /* a job of its own */
#define PENDING "'job_state':['PENDING'],'state_reason':'Priority'"
#define RUNNING "'job_state':['RUNNING'],'state_reason':'None'"
#define NODE "{'name':'n1',"
#define MiB 1048576.0

enum { ANSWERS_MAX = 3, SAMPLES_MAX = 9 };

/* Answers are written with ' in place of double quotes. */
struct scenario {
	const char *prevents;
	struct {
		enum endpoint endpoint;
		const char *records; /* of the list; of diag the object itself */
	} answers[ANSWERS_MAX];
	struct {
		const char *series; /* likewise */
		double want; /* NAN: not on the page */
	} samples[SAMPLES_MAX];
};

static const struct scenario job_scenarios[] = {
	{"running CPUs wrap at 65,536 (native)",
	 {{ENDPOINT_JOBS, J RUNNING ",'user_name':'a','account':'b','partition':'p','qos':'q',"
				    "'tres_alloc_str':'cpu=70000,mem=1G,node=70000'}"}},
	 {{"slurm_cluster_job_cpus{state='running'}", 70000},
	  {"slurm_partition_job_cpus{partition='p',state='running'}", 70000},
	  {"slurm_account_job_cpus{account='b',state='running'}", 70000},
	  {"slurm_user_job_cpus{user='a',account='b',state='running'}", 70000},
	  {"slurm_qos_job_cpus{qos='q',state='running'}", 70000},
	  {"slurm_cluster_job_nodes{state='running'}", 70000}}},
	{"10,000 CPUs read as 0 (jontk)",
	 {{ENDPOINT_JOBS, J RUNNING ",'tres_alloc_str':'cpu=10000,mem=1G'}"}},
	 {{"slurm_cluster_job_cpus{state='running'}", 10000}}},
	{"job memory of 1 TiB and more read as 0 (jontk)",
	 {{ENDPOINT_JOBS, J RUNNING ",'tres_alloc_str':'cpu=1,mem=1.5T'}"}},
	 {{"slurm_cluster_job_memory_bytes{state='running'}", 1.5 * 0x1p40}}},
	{"memory in MiB that is named bytes (native); with a fraction read as 0 (rivosinc#33)",
	 {{ENDPOINT_JOBS, J RUNNING ",'tres_alloc_str':'cpu=1,mem=62.50G'}"}},
	 {{"slurm_cluster_job_memory_bytes{state='running'}", 64000 * MiB}}},
	{"a user's memory is cut to 32 bits (native, rivosinc#71)",
	 {{ENDPOINT_JOBS, J RUNNING ",'user_name':'a','tres_alloc_str':'cpu=1,mem=8192G'}"}},
	 {{"slurm_user_job_memory_bytes{user='a',state='running'}", 0x1p43}}},
	{"a pending array counts as one job (vpenso#16, rivosinc#60), in some states only (native)",
	 {{ENDPOINT_JOBS, "{'job_id':5,'array_job_id':5,'array_task_id':null,'array_task_string':"
			  "'1-100%3','user_name':'a','account':'b'," PENDING ",'tres_req_str':'cpu=2,mem=1G,node=1'},"
			  "{'job_id':6,'array_job_id':5,'array_task_id':0,'user_name':'a',"
			  "'account':'b'," RUNNING ",'tres_alloc_str':'cpu=2,mem=1G,node=1'}"}},
	 {{"slurm_cluster_jobs{state='pending'}", 100},
	  {"slurm_cluster_jobs{state='running'}", 1},
	  {"slurm_user_jobs{user='a',account='b',state='pending'}", 100},
	  {"slurm_account_jobs{account='b',state='pending'}", 100},
	  {"slurm_account_pending_jobs{account='b',class='startable',reason='Priority'}", 100},
	  {"slurm_cluster_pending_jobs{class='startable',reason='Priority'}", 100},
	  {"slurm_cluster_job_cpus{state='pending'}", 200},
	  {"slurm_cluster_job_cpus{state='running'}", 2}}},
	{"a job that waits in two partitions counts in one (native), or in a partition 'a,b' "
	 "(SckyzO#140, #153, #175), or is lost",
	 {{ENDPOINT_JOBS, J PENDING ",'partition':'a,b','tres_req_str':'cpu=4'}"}},
	 {{"slurm_partition_jobs{partition='a',state='pending'}", 1},
	  {"slurm_partition_jobs{partition='b',state='pending'}", 1},
	  {"slurm_partition_jobs{partition='a,b',state='pending'}", NAN},
	  {"slurm_cluster_jobs{state='pending'}", 1},
	  {"slurm_partition_job_cpus{partition='b',state='pending'}", 4},
	  {"slurm_cluster_job_cpus{state='pending'}", 4}}},
	{"reasons are taken for bits of a mask (native)",
	 {{ENDPOINT_JOBS, J "'job_state':['PENDING'],'state_reason':'Resources'}," J
			    "'job_state':['PENDING'],'state_reason':'PartitionNodeLimit'}," J
			    "'job_state':['PENDING'],'state_reason':'QOSMaxCpuPerUserLimit'}"}},
	 {{"slurm_cluster_pending_jobs{class='startable',reason='Resources'}", 1},
	  {"slurm_cluster_pending_jobs{class='limit',reason='PartitionNodeLimit'}", 1},
	  {"slurm_cluster_pending_jobs{class='limit',reason='QOSMaxCpuPerUserLimit'}", 1}}},
	{"a reason that is not known yet is lost (vpenso#91)",
	 {{ENDPOINT_JOBS, J "'job_state':['PENDING'],'state_reason':'FullMoon','account':'b'}"}},
	 {{"slurm_cluster_pending_jobs{class='other',reason='FullMoon'}", 1},
	  {"slurm_account_pending_jobs{account='b',class='other',reason='FullMoon'}", 1}}},
	{"a state or flag that is not known yet fails the whole answer (lcrownover#21)",
	 {{ENDPOINT_JOBS, J "'job_state':['HIBERNATED','MOONLIT']}," J RUNNING "}"}},
	 {{"slurm_cluster_jobs{state='hibernated'}", 1},
	  {"slurm_cluster_jobs_flagged{flag='moonlit'}", 1},
	  {"slurm_cluster_jobs{state='running'}", 1}}},
	{"states that nobody is in are absent (aws-eda-slurm-cluster#57, SckyzO#12, vpenso#62)",
	 {{ENDPOINT_JOBS, J RUNNING ",'partition':'p','account':'b','qos':'q'}"}},
	 {{"slurm_cluster_jobs{state='suspended'}", 0},
	  {"slurm_cluster_jobs{state='out_of_memory'}", 0},
	  {"slurm_partition_jobs{partition='p',state='suspended'}", 0},
	  {"slurm_account_jobs{account='b',state='suspended'}", 0},
	  {"slurm_qos_jobs{qos='q',state='pending'}", 0}}},
	{"ended jobs are always 0 (SckyzO#27, #161)",
	 {{ENDPOINT_JOBS,
	   J "'job_state':['COMPLETED']}," J "'job_state':['TIMEOUT']}," J "'job_state':['FAILED','COMPLETING']}"}},
	 {{"slurm_cluster_jobs{state='completed'}", 1},
	  {"slurm_cluster_jobs{state='timeout'}", 1},
	  {"slurm_cluster_jobs{state='failed'}", 1},
	  {"slurm_cluster_jobs_flagged{flag='completing'}", 1},
	  {"slurm_cluster_job_cpus{state='running'}", 0}}},
	{"a completing or configuring job counts as ended or pending; only state[0] is read (jontk)",
	 {{ENDPOINT_JOBS, J "'job_state':['RUNNING','CONFIGURING','POWER_UP_NODE']}"}},
	 {{"slurm_cluster_jobs{state='running'}", 1},
	  {"slurm_cluster_jobs_flagged{flag='configuring'}", 1},
	  {"slurm_cluster_jobs_flagged{flag='power_up_node'}", 1}}},
	{"users are numbers (jontk), or cut at a hyphen (SckyzO#28)",
	 {{ENDPOINT_JOBS, J RUNNING ",'user_name':'anne-marie.o_x','user_id':1000,'account':'b'}"}},
	 {{"slurm_user_jobs{user='anne-marie.o_x',account='b',state='running'}", 1},
	  {"slurm_user_jobs{user='1000',account='b',state='running'}", NAN}}},
	{"GPUs of several types: only the first is read (DataDog#20167), or all are of one (vpenso#64)",
	 {{ENDPOINT_JOBS, J RUNNING ",'tres_alloc_str':'cpu=1,gres/gpu=7,gres/gpu:a100=4,"
				    "gres/gpu:h100=2,gres/shard=8'}"}},
	 {{"slurm_cluster_job_gres{gres='gpu',type='a100',state='running'}", 4},
	  {"slurm_cluster_job_gres{gres='gpu',type='h100',state='running'}", 2},
	  {"slurm_cluster_job_gres{gres='gpu',state='running'}", 1}, /* the sum is 7, not 13 */
	  {"slurm_cluster_job_gres{gres='shard',state='running'}", 8}}},
	{"a job that was never submitted is the oldest: time 0 (SckyzO#159, nebius#1299)",
	 {{ENDPOINT_JOBS, J PENDING ",'submit_time':0}," J PENDING ",'submit_time':1700000000}," J PENDING
				    ",'submit_time':{'set':false,'infinite':false,'number':0}}," J PENDING
				    ",'submit_time':{'set':true,'infinite':false,'number':1600000000}}"}},
	 {{"slurm_cluster_oldest_pending_timestamp_seconds{class='startable'}", 1600000000},
	  {"slurm_cluster_oldest_pending_timestamp_seconds{class='held'}", NAN}}},
	{"NO_VAL and NaN are numbers (lcrownover#34)",
	 {{ENDPOINT_JOBS, J PENDING ",'cpus':4294967294,'node_count':NaN,'memory_per_node':Infinity}," J PENDING
				    ",'cpus':-2,'node_count':-Infinity,'memory_per_node':"
				    "18446744073709551614}"}},
	 {{"slurm_cluster_jobs{state='pending'}", 2},
	  {"slurm_cluster_job_cpus{state='pending'}", 0},
	  {"slurm_cluster_job_nodes{state='pending'}", 0},
	  {"slurm_cluster_job_memory_bytes{state='pending'}", 0}}},
	{"components of a heterogeneous job count as one",
	 {{ENDPOINT_JOBS, "{'job_id':8,'het_job_id':8,'het_job_offset':0," RUNNING
			  ",'tres_alloc_str':'cpu=4'},{'job_id':9,'het_job_id':8,"
			  "'het_job_offset':1," RUNNING ",'tres_alloc_str':'cpu=2'}"}},
	 {{"slurm_cluster_jobs{state='running'}", 2}, {"slurm_cluster_job_cpus{state='running'}", 6}}},
};

static const struct scenario node_scenarios[] = {
	{"draining nodes are left out of drain (native)",
	 {{ENDPOINT_NODES, NODE "'state':['MIXED','DRAIN']}," NODE "'state':['IDLE','DRAIN']}"}},
	 {{"slurm_cluster_nodes_flagged{flag='draining'}", 1},
	  {"slurm_cluster_nodes_flagged{flag='drained'}", 1},
	  {"slurm_cluster_nodes{state='mixed'}", 1},
	  {"slurm_cluster_nodes{state='idle'}", 1}}},
	{"drained nodes count as healthy (SckyzO#142, #178, jontk), in old versions (ubccr#11)",
	 {{ENDPOINT_NODES,
	   NODE "'state':['IDLE','DRAIN'],'cpus':8}," NODE "'state':'idle','state_flags':['DRAIN'],'cpus':8}"}},
	 {{"slurm_cluster_nodes_flagged{flag='drained'}", 2},
	  {"slurm_cluster_cpus{state='idle'}", 0},
	  {"slurm_cluster_cpus{state='other'}", 16}}},
	{"powering up is filled from powering down (native)",
	 {{ENDPOINT_NODES, NODE "'state':['IDLE','POWERING_UP']}," NODE "'state':['IDLE','POWERING_UP']}," NODE
				"'state':['IDLE','POWERING_DOWN']}"}},
	 {{"slurm_cluster_nodes_flagged{flag='powering_up'}", 2},
	  {"slurm_cluster_nodes_flagged{flag='powering_down'}", 1}}},
	{"combined and suffixed states are lost (SckyzO#198, #243, flatiron#11)",
	 {{ENDPOINT_NODES, NODE "'state':['MIXED','RESERVED','PLANNED','NOT_RESPONDING']}," NODE
				"'state':['DOWN','RESERVED','DRAIN','NOT_RESPONDING']}"}},
	 {{"slurm_cluster_nodes{state='mixed'}", 1},
	  {"slurm_cluster_nodes{state='down'}", 1},
	  {"slurm_cluster_nodes_flagged{flag='reserved'}", 2},
	  {"slurm_cluster_nodes_flagged{flag='planned'}", 1},
	  {"slurm_cluster_nodes_flagged{flag='not_responding'}", 2}}},
	{"DYNAMIC_NORM fails the collector (lcrownover#21)",
	 {{ENDPOINT_NODES, NODE "'state':['IDLE','DYNAMIC_NORM']}," NODE "'state':['ALLOCATED','MOONLIT']}"}},
	 {{"slurm_cluster_nodes_flagged{flag='dynamic_norm'}", 1},
	  {"slurm_cluster_nodes_flagged{flag='moonlit'}", 1},
	  {"slurm_cluster_nodes{state='allocated'}", 1}}},
	{"idle nodes that no job may have look free (all)",
	 {{ENDPOINT_NODES, NODE
	   "'state':['IDLE'],'partitions':['a','b']}," NODE
	   "'state':['IDLE','CLOUD','POWERED_DOWN'],'partitions':['a']}," NODE
	   "'state':['IDLE','DYNAMIC_NORM','POWERING_UP'],'partitions':['b']}," NODE
	   "'state':['MIXED'],'partitions':['b']}," NODE "'state':['IDLE','DRAIN'],'partitions':['b']}," NODE
	   "'state':['IDLE','COMPLETING'],'partitions':['b']}," NODE "'state':['IDLE','FAIL'],'partitions':['b']}," NODE
	   "'state':['IDLE','NOT_RESPONDING'],'partitions':['b']}," NODE
	   "'state':['IDLE','MAINTENANCE'],'partitions':['b']}," NODE
	   "'state':['IDLE','RESERVED'],'partitions':['b']}," NODE
	   "'state':['IDLE','PLANNED'],'partitions':['b']}," NODE
	   "'state':['IDLE','POWERING_DOWN'],'partitions':['b']}," NODE
	   "'state':['IDLE','POWER_DOWN'],'partitions':['b']}," NODE
	   "'state':['IDLE','POWER_DRAIN'],'partitions':['b']}," NODE
	   "'state':['IDLE','REBOOT_REQUESTED'],'partitions':['b']}," NODE
	   "'state':['IDLE','REBOOT_ISSUED'],'partitions':['b']}," NODE
	   "'state':['IDLE','INVALID_REG'],'partitions':['b']}," NODE
	   "'state':['IDLE','BLOCKED'],'partitions':['b']}," NODE "'state':['IDLE','EXTERNAL'],'partitions':['b']}"}},
	 {{"slurm_cluster_nodes_free", 3},
	  {"slurm_partition_nodes_free{partition='a'}", 2},
	  {"slurm_partition_nodes_free{partition='b'}", 2}}},
	{"no zeros for states without nodes (vpenso#3, #62)",
	 {{ENDPOINT_NODES, NODE "'state':['IDLE'],'partitions':['p']}"}},
	 {{"slurm_cluster_nodes{state='down'}", 0}, {"slurm_partition_nodes{partition='p',state='mixed'}", 0}}},
	{"a node counts in its first partition only (jontk), or several times in the cluster (vpenso#129)",
	 {{ENDPOINT_NODES, NODE "'state':['MIXED'],'partitions':['a','b'],'cpus':8,'alloc_cpus':3}"}},
	 {{"slurm_partition_nodes{partition='a',state='mixed'}", 1},
	  {"slurm_partition_nodes{partition='b',state='mixed'}", 1},
	  {"slurm_partition_cpus{partition='b',state='allocated'}", 3},
	  {"slurm_cluster_nodes{state='mixed'}", 1},
	  {"slurm_cluster_cpus{state='allocated'}", 3},
	  {"slurm_cluster_cpus{state='idle'}", 5}}},
	{"CPUs of a partition wrap at 65,536 (native)",
	 {{ENDPOINT_NODES, NODE "'state':['IDLE'],'partitions':['a'],'cpus':40000}," NODE
				"'state':['IDLE'],'partitions':['a'],'cpus':40000}"}},
	 {{"slurm_partition_cpus{partition='a',state='idle'}", 80000}}},
	{"memory of a node is MiB (native), or 0 from 1,000,000 MB on (jontk)",
	 {{ENDPOINT_NODES, NODE "'state':['MIXED'],'real_memory':2000000,'alloc_memory':500000}"}},
	 {{"slurm_cluster_memory_bytes{state='allocated'}", 500000 * MiB},
	  {"slurm_cluster_memory_bytes{state='idle'}", 1500000 * MiB}}},
	{"GRES with sockets, types and indices are misread (vpenso#34, #57, #83, SckyzO#9, #29)",
	 {{ENDPOINT_NODES, NODE "'state':['MIXED'],'gres':'gpu:a100:4(S:0-1),gpu:h100:2(S:1),mps:200',"
				"'gres_used':'gpu:a100:3(IDX:0,2-3),gpu:h100:0(IDX:N/A),mps:0'}"}},
	 {{"slurm_cluster_gres{gres='gpu',type='a100',state='allocated'}", 3},
	  {"slurm_cluster_gres{gres='gpu',type='a100',state='idle'}", 1},
	  {"slurm_cluster_gres{gres='gpu',type='h100',state='allocated'}", 0},
	  {"slurm_cluster_gres{gres='gpu',type='h100',state='idle'}", 2},
	  {"slurm_cluster_gres{gres='mps',state='idle'}", 200}}},
	{"differences become negative (SckyzO#16, #17)",
	 {{ENDPOINT_NODES, NODE "'state':['DOWN'],'cpus':4,'alloc_cpus':6,'real_memory':10,"
				"'alloc_memory':12,'gres':'gpu:1','gres_used':'gpu:2'}"}},
	 {{"slurm_cluster_cpus{state='other'}", 0},
	  {"slurm_cluster_memory_bytes{state='other'}", 0},
	  {"slurm_cluster_gres{gres='gpu',state='other'}", 0}}},
	{"the default partition is called 'p*' (SckyzO#20, #69)",
	 {{ENDPOINT_PARTITIONS, "{'name':'p','flags':['default'],'state':'UP'}"},
	  {ENDPOINT_NODES, NODE "'state':['IDLE'],'partitions':['p']}"}},
	 {{"slurm_partition_info{partition='p',default='true'}", 1},
	  {"slurm_partition_nodes{partition='p',state='idle'}", 1},
	  {"slurm_partition_nodes{partition='p*',state='idle'}", NAN}}},
	{"unlimited is a number: 4294967295, 18446744073709552000 or 0 (lcrownover#8, #18)",
	 {{ENDPOINT_PARTITIONS, "{'name':'a','max_time_limit':-1,'maximum_nodes_per_job':4294967295},"
				"{'name':'b','maximums':{'time':{'set':true,'infinite':false,"
				"'number':18446744073709552000},'nodes':{'set':false,'infinite':true,"
				"'number':0}}}"}},
	 {{"slurm_partition_max_time_seconds{partition='a'}", NAN},
	  {"slurm_partition_max_nodes{partition='a'}", NAN},
	  {"slurm_partition_max_time_seconds{partition='b'}", NAN},
	  {"slurm_partition_max_nodes{partition='b'}", NAN},
	  {"slurm_partition_info{partition='b'}", 1}}},
	{"a partition without jobs or nodes is absent (aws-eda-slurm-cluster#57)",
	 {{ENDPOINT_PARTITIONS, "{'name':'empty'}"},
	  {ENDPOINT_NODES, NODE "'state':['IDLE'],'partitions':['p']}"},
	  {ENDPOINT_JOBS, J RUNNING ",'partition':'p'}"}},
	 {{"slurm_partition_jobs{partition='empty',state='running'}", 0},
	  {"slurm_partition_nodes{partition='empty',state='idle'}", 0},
	  {"slurm_partition_job_cpus{partition='empty',state='pending'}", 0}}},
};

static const struct scenario scheduler_scenarios[] = {
	{"counters fall at midnight UTC (native, SckyzO#22, #23)",
	 {{ENDPOINT_DIAG, "{'req_time_start':100,'schedule_cycle_total':500,'bf_cycle_counter':9}"},
	  {ENDPOINT_DIAG, "{'req_time_start':200,'schedule_cycle_total':3,'bf_cycle_counter':1}"}},
	 {{"slurm_scheduler_cycles_total", 503}, {"slurm_backfill_cycles_total", 10}}},
	{"what a version does not tell is 0; NaN goes on the page (vpenso#58)",
	 {{ENDPOINT_DIAG, "{'req_time_start':100,'bf_cycle_last':NaN,'server_thread_count':4}"}},
	 {{"slurm_controller_threads", 4},
	  {"slurm_backfill_last_cycle_seconds", NAN},
	  {"slurm_scheduler_last_cycle_seconds", NAN},
	  {"slurm_scheduler_cycles_total", NAN}}},
	{"microseconds are shown as seconds",
	 {{ENDPOINT_DIAG, "{'req_time_start':100,'schedule_cycle_last':1500000,"
			  "'schedule_cycle_total':2,'schedule_cycle_mean':250000}"}},
	 {{"slurm_scheduler_last_cycle_seconds", 1.5}, {"slurm_scheduler_cycle_seconds_total", 0.5}}},
	{"an empty answer makes zeros of what nobody knows (lcrownover: '{}' gives a page of zeros)",
	 {{ENDPOINT_DIAG, "{'req_time_start':100}"}},
	 {{"slurm_cluster_jobs{state='running'}", NAN},
	  {"slurm_cluster_nodes{state='idle'}", NAN},
	  {"slurm_controller_up", NAN}}},
};

static char *with_double_quotes(const char *text, char *to, size_t size)
{
	snprintf(to, size, "%s", text);
	for (char *c = to; *c; c++)
		if (*c == '\'')
			*c = '"';
	return to;
}

static void feed(struct cluster *cluster, enum endpoint endpoint, const char *records)
{
	static char document[4096], json[4096];
	const struct record_type *type = endpoint_table[endpoint].record;
	snprintf(document, sizeof document, type->is_single ? "{'%s':%s}" : "{'%s':[%s]}", type->list, records);
	page_feed(cluster, endpoint, with_double_quotes(document, json, sizeof json), 1000);
}

static void run(const struct scenario *scenario)
{
	char series[256];
	struct cluster cluster;
	check_row(scenario->prevents);
	cluster_init(&cluster);
	for (int i = 0; i < ANSWERS_MAX && scenario->answers[i].records; i++)
		feed(&cluster, scenario->answers[i].endpoint, scenario->answers[i].records);
	struct buf page = page_of(&cluster);
	CHECK(!strstr(page.bytes, " NaN\n"));
	for (int i = 0; i < SAMPLES_MAX && scenario->samples[i].series; i++) {
		with_double_quotes(scenario->samples[i].series, series, sizeof series);
		check_number(page_value(&page, series), scenario->samples[i].want, __FILE__, __LINE__, series);
	}
	buf_done(&page);
	cluster_done(&cluster);
}

int main(void)
{
	for (size_t i = 0; i < sizeof job_scenarios / sizeof *job_scenarios; i++)
		run(&job_scenarios[i]);
	for (size_t i = 0; i < sizeof node_scenarios / sizeof *node_scenarios; i++)
		run(&node_scenarios[i]);
	for (size_t i = 0; i < sizeof scheduler_scenarios / sizeof *scheduler_scenarios; i++)
		run(&scheduler_scenarios[i]);
	return check_done();
}
