/* The cluster: its name and releases, and each controller, whether it responds and how fast. For the person on call: is
 * it well, and which Slurm is it? From ping, and from the release in each answer. poll/health.h says when slurmscope
 * believes a ping that reports a controller as down. */
#include "metrics/family.h"

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct cluster *cluster = item;
	if (!*cluster->api_version)
		return;
	exposition_label(out, "name", text_of(cluster->name));
	exposition_label(out, "slurm_version", text_of(cluster->slurm_version));
	exposition_label(out, "api_version", text_of(cluster->api_version));
	exposition_integer(out, 1);
}

static const struct family cluster_families[] = {
	{"slurm_cluster_info", GAUGE, "name,slurm_version,api_version",
	 "The cluster's name, its Slurm release and the slurmrestd API version that is read; always 1.", emit_info, 0,
	 0, 0},
};

static void each_cluster(struct family_sink *sink, int kind)
{
	(void)kind;
	family_item(sink, sink->facts->cluster);
}

const struct family_group cluster_group = {.collect = COLLECT_CLUSTER,
					   GROUP_FAMILIES(cluster_families),
					   .origin = {.source = "ping"},
					   .each = each_cluster};

static void emit_up(struct exposition *out, const struct page_facts *facts, const struct family *family,
		    const void *item)
{
	(void)facts, (void)family;
	const struct controller_state *controller = item;
	exposition_label(out, "role", text_of(controller->is_primary ? "primary" : "backup"));
	exposition_integer(out, controller->is_up);
}

static const struct family controller_families[] = {
	{"slurm_controller_up", GAUGE, "role",
	 "Whether slurmctld answers (scontrol ping); absent when that is not known.", emit_up, 0, 0, 0},
	{"slurm_controller_ping_seconds", GAUGE, NULL, "How long slurmctld took to answer slurmrestd's ping.",
	 emit_number, offsetof(struct controller_state, latency_us), 1e6, 0},
};

static void each_controller(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct cluster *cluster = sink->facts->cluster;
	for (unsigned i = 0; cluster->controllers_are_sure && i < cluster->controller_count; i++) {
		exposition_base(sink->out);
		exposition_base_label(sink->out, "controller", text_of(cluster->controllers[i].host));
		family_item(sink, &cluster->controllers[i]);
	}
}

const struct family_group controller_group = {.collect = COLLECT_CLUSTER,
					      GROUP_FAMILIES(controller_families),
					      .labels = "controller",
					      .origin = {.source = "ping"},
					      .each = each_controller};
