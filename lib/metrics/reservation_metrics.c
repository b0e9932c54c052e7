/* Reservations and licences. For operators and users: what is set aside, is it used, and which licences are left? From
 * slurmctld's lists of both; how much of a reservation is in use comes from the jobs in the job table that name it. */
#include "metrics/family.h"
#include "model/reservation.h"
#include "model/tres.h"

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct reservation *reservation = item;
	exposition_label(out, "flags", reservation->flags);
	exposition_label(out, "partition", reservation->partition);
	exposition_integer(out, 1);
}

static void emit_active(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct reservation *reservation = item;
	uint64_t now = (uint64_t)facts->now;
	exposition_integer(out, number_is_known(reservation->start_time) && reservation->start_time <= now &&
					(reservation->end_time > now));
}

/* The CPUs in its TRES; a reservation without nodes has none. */
static void emit_cpus(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	struct text rest = ((const struct reservation *)item)->tres;
	struct tres tres;
	uint64_t cpus = 0;
	while (tres_next(&rest, &tres))
		if (text_equal(tres.name, TEXT("cpu")))
			cpus = tres.count;
	exposition_integer(out, cpus);
}

static void emit_allocated(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)family;
	if (cluster_detailed_jobs(facts->cluster))
		exposition_integer(out, ((const struct reservation *)item)->allocated_cpus);
}

#define RESERVATION(name, member, help)                                                                                \
	{                                                                                                              \
		"slurm_reservation_" name, GAUGE, NULL, help, emit_number, offsetof(struct reservation, member), 1, 0  \
	}

static const struct family reservation_families[] = {
	{"slurm_reservation_info", GAUGE, "flags,partition",
	 "The reservations, with Slurm's flags and the partition, if any; always 1.", emit_info, 0, 0, 0},
	RESERVATION("start_timestamp_seconds", start_time, "When the reservation starts."),
	RESERVATION("end_timestamp_seconds", end_time, "When the reservation ends."),
	{"slurm_reservation_active", GAUGE, NULL,
	 "Whether the reservation had started and not ended when the page was made.", emit_active, 0, 0, 0},
	RESERVATION("nodes", nodes, "Nodes of the reservation."),
	{"slurm_reservation_cpus", GAUGE, NULL, "CPUs of the reservation.", emit_cpus, 0, 0, 0},
	{"slurm_reservation_cpus_allocated", GAUGE, NULL, "CPUs that jobs running in the reservation hold.",
	 emit_allocated, 0, 0, 0},
};

static void each_reservation(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct record_list *list = sink->facts->cluster->reservations;
	for (size_t i = 0; list && i < list->count; i++) {
		const struct reservation *reservation = &((const struct reservation *)list->items)[i];
		exposition_base(sink->out);
		exposition_base_label(sink->out, "reservation", reservation->name);
		family_item(sink, reservation);
	}
}

const struct family_group reservation_group = {.collect = COLLECT_RESERVATIONS,
					       GROUP_FAMILIES(reservation_families),
					       .labels = "reservation",
					       .origin = {.source = "reservations"},
					       .each = each_reservation};

static void emit_licenses(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct license *license = item;
	static const char *const names[] = {"used", "free", "reserved"};
	const uint64_t values[] = {license->used, license->free, license->reserved};
	for (int i = 0; i < 3; i++) {
		if (!number_is_known(values[i]))
			continue;
		exposition_label(out, "state", text_of(names[i]));
		exposition_integer(out, values[i]);
	}
}

static const struct family license_families[] = {
	{"slurm_licenses", GAUGE, "state",
	 "Licences that are used, free, and reserved (by reservations), as scontrol show lic counts "
	 "them. A hierarchical resource has a row for each layer, with the layer's nodes.",
	 emit_licenses, 0, 0, 0},
	{"slurm_licenses_configured", GAUGE, NULL, "Licences that are configured.", emit_number,
	 offsetof(struct license, total), 1, 0},
};

static void each_license(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct record_list *list = sink->facts->cluster->licenses;
	for (size_t i = 0; list && i < list->count; i++) {
		const struct license *license = &((const struct license *)list->items)[i];
		exposition_base(sink->out);
		exposition_base_label(sink->out, "license", license->name);
		if (license->nodes.len)
			exposition_base_label(sink->out, "nodes", license->nodes);
		family_item(sink, license);
	}
}

const struct family_group license_group = {.collect = COLLECT_LICENSES,
					   GROUP_FAMILIES(license_families),
					   .labels = "license,nodes",
					   .origin = {"licenses", "22.05"},
					   .each = each_license};
