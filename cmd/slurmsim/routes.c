#include "slurmsim/routes.h"

static const struct route routes[] = {
	{ENDPOINT_PING, false, false, "ping", "ping", 37, view_ping},
	{ENDPOINT_DIAG, false, false, "diag", "diag", 37, view_diag},
	{ENDPOINT_PARTITIONS, false, false, "partitions", "partitions", 37, view_partitions},
	{ENDPOINT_NODES, false, false, "nodes", "nodes", 37, view_nodes},
	{ENDPOINT_NODES, false, true, "node/", "nodes", 37, view_nodes},
	{ENDPOINT_JOBS, false, false, "jobs", "jobs", 37, view_jobs},
	{ENDPOINT_STATES, false, false, "jobs/state", "states", 40, view_job_states},
	{ENDPOINT_JOB, false, true, "job/", "jobs", 37, view_jobs},
	{ENDPOINT_RESERVATIONS, false, false, "reservations", "reservations", 37, view_reservations},
	{ENDPOINT_LICENSES, false, false, "licenses", "licenses", 38, view_licenses},
	{ENDPOINT_SHARES, false, false, "shares", "shares", 40, view_shares},
	{ENDPOINT_CONF, false, false, "conf", "conf", 45, view_conf},
	{ENDPOINT_DB_JOBS, true, false, "jobs", "db_jobs", 37, view_db_jobs},
	{ENDPOINT_DB_QOS, true, false, "qos", "db_qos", 37, view_db_qos},
	{ENDPOINT_DB_ASSOCIATIONS, true, false, "associations", "db_associations", 37, view_db_associations},
	{ENDPOINT_DB_DIAG, true, false, "diag", "db_diag", 37, view_db_diag},
	{ENDPOINT_DB_PING, true, false, "ping", "db_ping", 42, view_db_ping},
};

const struct route *route_find(bool is_db, int version, const char *path, const char **ret_id)
{
	for (const struct route *route = routes; route < routes + sizeof routes / sizeof *routes; route++) {
		size_t len = strlen(route->path);
		if (route->is_db != is_db || version < route->since || strncmp(path, route->path, len) != 0)
			continue;
		*ret_id = path + len;
		if (route->has_id ? **ret_id != '\0' : !**ret_id || strcmp(*ret_id, "/") == 0)
			return route;
	}
	return NULL;
}
