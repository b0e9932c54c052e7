#include "model/reservation.h"

#include "slurmrest/decode.h"

static const struct field reservation_fields[] = {
	HASHED_TEXT(struct reservation, name, "name", HASHED_RESERVATIONS),
	TEXT_FIELD(struct reservation, partition, "partition"),
	TEXT_FIELD(struct reservation, flags, "flags"),
	NUMBER(struct reservation, start_time, "start_time", TIME),
	NUMBER(struct reservation, end_time, "end_time", TIME),
	NUMBER(struct reservation, nodes, "node_count", COUNT),
	NUMBER(struct reservation, cores, "core_count", COUNT),
	TEXT_FIELD(struct reservation, tres, "tres"),
	TEXT_FIELD(struct reservation, node_list, "node_list"),
	END_OF_FIELDS,
};

static bool finish_reservation(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct reservation *)record)->name.len;
}

const struct record_type reservation_record = {
	"reservations", false, sizeof(struct reservation), reservation_fields, finish_reservation, NULL};

static const struct field license_fields[] = {
	TEXT_FIELD(struct license, name, "LicenseName"),
	TEXT_FIELD(struct license, nodes, "Nodes"), /* since v0.0.44 */
	NUMBER(struct license, total, "Total", COUNT),
	NUMBER(struct license, used, "Used", COUNT),
	NUMBER(struct license, free, "Free", COUNT),
	NUMBER(struct license, reserved, "Reserved", COUNT),
	END_OF_FIELDS,
};

static bool finish_license(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct license *)record)->name.len;
}

const struct record_type license_record = {"licenses",	   false,	   sizeof(struct license),
					   license_fields, finish_license, NULL};
