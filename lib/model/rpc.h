/* What daemons report of the requests that they served. Texts are borrowed. */
#pragma once

#include "base/text.h"
#include "model/number.h"

/* One row of diag's lists; times are sums in µs. */
struct rpc {
	struct text name; /* of the message type, or the user: its number where nobody knows a name */
	uint64_t user_id;
	uint64_t count, time_us;
	uint64_t dropped, queued; /* since v0.0.41 */
};

/* slurmdbd's statistics, as `sacctmgr show stats` has them. */
struct rollup {
	uint64_t last_run; /* Unix seconds; unset: never */
	uint64_t last_duration_us;
};
