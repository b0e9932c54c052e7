#include "poll/poller_config.h"

#include "base/clock.h"
#include "config/config_groups.h"
#include "config/option.h"
#include "events/events_record.h"
#include "poll/poller_state.h"

/* For how long an earlier poller's page stays, while this poller knows less and nothing fails. */
#define OLD_PAGE_S 60.0

/* As a file that defines them in one way. */
static void write_groups(const struct config *config, struct buf *out)
{
	struct job_groups groups = {.count = 0};
	config_groups(config, &groups);
	config_groups_write(&groups, 0, out);
	job_groups_done(&groups);
}

/* Rows of groups depend on filters, too: names that must not be shown are `other` there. */
static bool group_alike(const struct config *before, const struct config *config)
{
	struct buf texts[2] = {BUF_INIT, BUF_INIT};
	write_groups(before, &texts[0]);
	write_groups(config, &texts[1]);
	bool are_same = text_equal(buf_text(&texts[0]), buf_text(&texts[1]));
	for (size_t i = 0; texts[0].len && i < option_count; i++)
		are_same &= strncmp(option_table[i].name, "filter.", strlen("filter.")) != 0 ||
			    option_is_same(before, config, &option_table[i]);
	buf_done(&texts[0]);
	buf_done(&texts[1]);
	return are_same;
}

/* False: the options say which cluster this is, such as the URL, whether the poller leads, or what it counts jobs by. */
bool poller_can_take(const struct config *before, const struct config *config)
{
	static const char *const fixed[] = {"slurmrestd.url",	   "state.path",  "jobs.first-id",
					    "jobs.max-id",	   "ha",	  "ha-host",
					    "names.hash-key-file", "names.hashed"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (!option_is_same(before, config, option_find(fixed[i], strlen(fixed[i]))))
			return false;
	return group_alike(before, config);
}

static bool hashes_alike(const struct name_hash *a, const struct name_hash *b)
{
	return strcmp(name_hash_mark(a), name_hash_mark(b)) == 0;
}

bool poller_has_key(const struct poller *poller, const struct config *config)
{
	struct name_hash *hash;
	struct error ignored; /* the new poller says it */
	bool is_same = config_name_hash(config, &hash, &ignored) && hashes_alike(poller->hash, hash);
	name_hash_free(hash);
	return is_same;
}

/* Never with TLS: the certificate files may have changed, and the connection may use one that was withdrawn. */
static bool connects_alike(const struct config *a, const struct config *b)
{
	if (config_is_tls(b))
		return false;
	for (size_t i = 0; i < option_count; i++)
		if (strncmp(option_table[i].name, "slurmrestd.", strlen("slurmrestd.")) == 0 &&
		    !option_is_same(a, b, &option_table[i]))
			return false;
	return true;
}

void poller_set_budgets(struct poller *poller)
{
	if (poller->config->start_percent <= poller->config->slurmrestd_percent)
		poller->start.until_ns = 0;
	const struct plan_options options = tasks_options(poller->config, poller->start.until_ns);
	plan_set_options(poller->plan, clock_monotonic_ns(), &options);
}

void poller_set_job_rows(struct poller *poller)
{
	const struct config *config = poller->config;
	const struct job_rows_max max = {.jobs = {[STAGE_PENDING] = config->job_pending_rows,
						  [STAGE_HOLDING] = config->job_rows,
						  [STAGE_ENDED] = config->job_ended_rows},
					 .nodes = config->job_node_rows};
	cluster_set_job_rows(&poller->cluster, &max);
}

/* What the poller learnt and counted stays. The files were there when the setup was checked; if they have gone since,
 * the connection stays, too. */
static void take_config(struct poller *poller, const struct config *config)
{
	struct error err;
	struct client_options client_options = config_client(config, &poller->stop);
	client_options.hash = poller->hash;
	if (!connects_alike(poller->config, config) &&
	    !client_configure(poller->asker.client, &client_options, config_token(config), &err))
		log_line(LOG_LEVEL_ERROR, "the new options of slurmrestd cannot be used; slurmscope asks it as before",
			 "error", err.text, NULL);
	poller->config = poller->asker.config = config;
	buf_clear(&poller->labels);
	config_labels(config, &poller->labels);
	tasks_fill(poller->tasks, config);
	poller_set_budgets(poller);
	const struct job_groups *groups = poller->cluster.caps.groups;
	caps_done(&poller->cluster.caps);
	caps_init(&poller->cluster.caps);
	config_caps(config, &poller->cluster.caps, &err);
	node_causes_done(&poller->cluster.causes);
	config_causes(config, &poller->cluster.causes, &err);
	poller->cluster.caps.groups = groups; /* as before, or another poller would take its place */
	job_events_screen(poller->leads ? poller->events.recorder.events : poller->counted_before);
	poller->events.is_changed = true; /* the state file has to change, too */
	poller_set_job_rows(poller);
	poller_note_news(poller);
}

bool poller_take_next_config(struct poller *poller)
{
	pthread_mutex_lock(&poller->lock);
	struct setup *setup = poller->next_setup;
	const struct config *config = poller->next_config;
	poller->next_setup = NULL;
	poller->next_config = NULL;
	pthread_mutex_unlock(&poller->lock);
	if (!setup)
		return false;
	take_config(poller, config);
	log_about(config->name);
	setup_release(poller->setup);
	poller->setup = setup;
	return true;
}

void poller_configure(struct poller *poller, struct setup *setup, const struct config *config)
{
	pthread_mutex_lock(&poller->lock);
	setup_release(poller->next_setup);
	poller->next_setup = setup_hold(setup);
	poller->next_config = config;
	pthread_cond_signal(&poller->wake);
	pthread_mutex_unlock(&poller->lock);
}

void poller_continue(struct poller *poller, const struct poller *before)
{
	struct exporter *exporter = &poller->exporter;
	if (!hashes_alike(poller->hash, before->hash))
		return;
	poller->counted_before = job_events_new(&poller->cluster.caps, &poller->cluster.vocabulary, clock_now_s());
	const struct job_events *counted = before->leads ? before->events.recorder.events : before->counted_before;
	if (counted)
		events_continue(poller->counted_before, counted, clock_now_s());
	exporter->begin = before->exporter.begin;
	memcpy(exporter->endpoints, before->exporter.endpoints, sizeof exporter->endpoints);
	poller->old_page_until_ns = clock_monotonic_ns() + (uint64_t)(OLD_PAGE_S * 1e9);
}
