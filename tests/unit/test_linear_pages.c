/* What a page costs grows no faster than what is on it. Ten times the users, nodes, partitions and the rest may cost
 * twelve times the work and memory. That holds from the answers to the bytes that scrapers get, in each format. */
#include "counted.h"
#include "named_answers.h"

#include "cluster/fold.h"
#include "entities/charges.h"
#include "metrics/catalogue.h"
#include "metrics/formats.h"
#include "metrics/scoped_samples.h"
#include "poll/section.h"

enum { NOW = 1800000000, JOBS = 2000, IDS = 7471, SCOPED = NAMED_ANSWERS + 1 + FORMATS, STAGES };

static const char *stage_name(size_t stage)
{
	return stage < NAMED_ANSWERS	? endpoint_table[named_answers[stage].endpoint].name
	       : stage == NAMED_ANSWERS ? "the page"
	       : stage == SCOPED	? "what a tenant sees"
					: format_names[stage - NAMED_ANSWERS - 1];
}

/* Names of states are looked up one by one, up to a limit. They are all there before anything is counted. */
static void fill(struct vocabulary *vocabulary)
{
	struct names *const lists[] = {&vocabulary->job_states, &vocabulary->job_flags, &vocabulary->node_states,
				       &vocabulary->node_flags, &vocabulary->partition_states};
	for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
		for (unsigned i = 0; i < NAMES_MAX; i++) {
			char name[16];
			snprintf(name, sizeof name, "state%u", i);
			names_learn(lists[list], text_of(name));
		}
}

static void feed(struct cluster *cluster, size_t which, const struct text *names, size_t count, struct cost *ret_cost)
{
	struct section_build build = {.cluster = cluster, .now = NOW};
	enum endpoint endpoint = named_answers[which].endpoint;
	struct error err = {""};
	struct buf json = BUF_INIT;
	named_answer(which, names, count, &json);
	struct decoder *decoder = decoder_new(endpoint_table[endpoint].record, &cluster->vocabulary);
	spent = (struct cost){0};
	build.built = section_start(endpoint, cluster, NOW);
	decoder_start(decoder, section_take(endpoint), &build);
	CHECK(decoder_feed(decoder, json.bytes, json.len, &err) && decoder_finish(decoder, &err));
	section_commit(endpoint, cluster, build.built);
	*ret_cost = spent;
	CHECK_STRING(err.text, "");
	decoder_free(decoder);
	buf_done(&json);
}

static void render(struct cluster *cluster, struct samples *page, struct cost *ret_cost)
{
	static const struct exporter exporter;
	const struct page_facts facts = {
		.cluster = cluster, .exporter = &exporter, .now = NOW, .per_node = PER_NODE_FULL};
	spent = (struct cost){0};
	cluster_fold(cluster);
	catalogue_render(&facts, page);
	*ret_cost = spent;
}

static void write_format(const struct samples *page, enum format format, struct cost *ret_cost)
{
	const struct format_options options = {.format = format, .has_created = true};
	struct buf bytes = BUF_INIT;
	spent = (struct cost){0};
	format_write(&options, &page, 1, &bytes, NULL);
	*ret_cost = spent;
	CHECK(bytes.len > 0);
	buf_done(&bytes);
}

/* Somebody who sees as many accounts, users and partitions as there are. */
static void take_scope(const struct samples *page, const struct text *names, size_t count, struct cost *ret_cost)
{
	struct scope scope;
	struct samples scoped;
	scope_init(&scope);
	for (size_t i = 0; i < count; i++)
		for (int kind = 0; kind < SCOPE_OWNERS; kind++)
			scope_add(&scope, (enum scope_kind)kind, names[i]);
	spent = (struct cost){0};
	scoped_samples(page, &scope, &scoped);
	*ret_cost = spent;
	CHECK(scoped.sample_count > count);
	samples_done(&scoped);
	scope_done(&scope);
}

/* What each stage costs with `count` names of each kind. Returns how many samples the page has. */
static uint64_t spend(size_t count, struct cost ret_costs[STAGES])
{
	char(*rooms)[16] = calloc(count, sizeof *rooms);
	struct text *names = calloc(count, sizeof *names);
	struct samples page = {.text = BUF_INIT};
	struct cluster cluster;
	for (size_t i = 0; i < count; i++)
		names[i] = (struct text){rooms[i], (size_t)snprintf(rooms[i], sizeof *rooms, "n%zu", i)};
	cluster_init(&cluster);
	fill(&cluster.vocabulary);
	cluster_set_job_rows(&cluster, &(struct job_rows_max){{count, count, count}, count});
	for (size_t i = 0; i < NAMED_ANSWERS; i++)
		feed(&cluster, i, names, count, &ret_costs[i]);
	render(&cluster, &page, &ret_costs[NAMED_ANSWERS]);
	for (int format = 0; format < FORMATS; format++)
		write_format(&page, (enum format)format, &ret_costs[NAMED_ANSWERS + 1 + format]);
	take_scope(&page, names, count, &ret_costs[SCOPED]);
	uint64_t samples = page.sample_count;
	samples_done(&page);
	cluster_done(&cluster);
	free(names);
	free(rooms);
	return samples;
}

/* Jobs of different accounts, each on a node of its own. */
static void charge_jobs(size_t count, struct cost *ret_cost)
{
	struct arena arena = ARENA_INIT;
	struct charges charges;
	struct use all;
	spent = (struct cost){0};
	charges_init(&charges, &arena);
	use_init(&all, &arena);
	for (size_t i = 0; i < count; i++) {
		char name[16];
		struct text text = {name, (size_t)snprintf(name, sizeof name, "n%zu", i)};
		struct job job = {.state = JOB_RUNNING, .tres_allocated = TEXT("cpu=1"), .node_list = text};
		struct charge *charge = charges_of(&charges, text, TEXT("u"), TEXT("p"), TEXT("q"));
		charge_add_held(&charges, charge, &job, 1, NOW);
		use_merge(&all, &charge->use, 1);
	}
	CHECK_NUMBER(use_nodes(&all), count);
	*ret_cost = spent;
	use_done(&all);
	charges_done(&charges);
	arena_done(&arena);
}

/* One map is filled from another. With this number of slots taken, the order of the hashes would be dear. */
static void copy_map(size_t count, struct cost *ret_cost)
{
	struct id_map from = {0}, to = {0};
	for (uint32_t id = 0; id < count; id++)
		id_map_set(&from, id, 1);
	spent = (struct cost){0};
	for (size_t i = 0; i < from.slot_count; i++) {
		const struct id_slot *slot = id_map_slot(&from, i);
		if (slot->value)
			id_map_set(&to, slot->id, slot->value);
	}
	*ret_cost = spent;
	CHECK_NUMBER(to.count, count);
	id_map_done(&from);
	id_map_done(&to);
}

int main(void)
{
	struct cost small[STAGES], large[STAGES], few_jobs, many_jobs, few_ids, many_ids;
	copy_map(IDS, &few_ids);
	copy_map((size_t)IDS * TIMES, &many_ids);
	check_cost("a map from a map", &few_ids, &many_ids);
	charge_jobs(JOBS, &few_jobs);
	charge_jobs((size_t)JOBS * TIMES, &many_jobs);
	check_cost("jobs' nodes", &few_jobs, &many_jobs);
	uint64_t few = spend(SMALL, small), many = spend((size_t)SMALL * TIMES, large);
	CHECK(many > (TIMES - 2) * few);
	for (size_t stage = 0; stage < STAGES; stage++)
		check_cost(stage_name(stage), &small[stage], &large[stage]);
	return check_done();
}
