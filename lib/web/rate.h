/* How many requests may come: `rate_limit` of a web configuration. */
#pragma once

#include "web/config_map.h"

struct web_rate {
	double interval_s; /* a request may come each time, and `burst` at once; 0: no limit */
	uint64_t burst;
};

/* Reads {interval: 1s, burst: 20}; member: struct web_rate. */
web_read web_rate_read;

/* A bucket of `burst`, full at first. */
struct web_bucket {
	double tokens;
	uint64_t at_ns;
	bool is_used;
};
bool web_bucket_take(struct web_bucket *bucket, const struct web_rate *rate, uint64_t now_ns);
