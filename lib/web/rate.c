#include "web/rate.h"

#include <stdlib.h>

/* Go's: "1s", "1m30s", "1.5h"; a number alone is of nanoseconds. */
static bool read_interval(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
	double *seconds = member;
	const char *at = node->kind == YAML_SCALAR ? node->text.bytes : "";
	uint64_t nanoseconds;
	if (node->kind == YAML_SCALAR && text_to_u64(node->text, &nanoseconds)) {
		*seconds = (double)nanoseconds * 1e-9;
		return true;
	}
	bool is_good = *at != '\0';
	while (is_good && *at) {
		char *end;
		size_t digits = strspn(at, "0123456789."), unit = 0, units_count = sizeof units / sizeof *units;
		double number = strtod(at, &end);
		size_t letters = strcspn(end, "0123456789.");
		while (unit < units_count &&
		       (strlen(units[unit].name) != letters || strncmp(units[unit].name, end, letters) != 0))
			unit++;
		is_good = digits && end == at + digits && unit < units_count;
		*seconds += is_good ? number * units[unit].seconds : 0;
		at = end + letters;
	}
	return is_good || web_wrong(reading, node, "expected a duration such as 1s or 500ms");
}

static bool read_burst(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	return (node->kind == YAML_SCALAR && text_to_u64(node->text, member) && *(uint64_t *)member <= UINT32_MAX) ||
	       web_wrong(reading, node, "expected a number");
}

bool web_rate_read(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const struct web_key keys[] = {
		{"interval", read_interval, offsetof(struct web_rate, interval_s)},
		{"burst", read_burst, offsetof(struct web_rate, burst)},
	};
	return web_read_map(reading, node, keys, sizeof keys / sizeof *keys, member);
}

bool web_bucket_take(struct web_bucket *bucket, const struct web_rate *rate, uint64_t now_ns)
{
	double burst = (double)rate->burst;
	if (!(rate->interval_s > 0))
		return true;
	bucket->tokens += bucket->is_used ? (double)(now_ns - bucket->at_ns) * 1e-9 / rate->interval_s : burst;
	bucket->tokens = bucket->tokens < burst ? bucket->tokens : burst;
	bucket->is_used = true;
	bucket->at_ns = now_ns;
	if (bucket->tokens < 1)
		return false;
	bucket->tokens--;
	return true;
}
