#include "bench.h"

#include <cstdio>
#include <cstdlib>
#include <simdjson.h>
#include <string_view>
#include <unordered_map>

using namespace simdjson;

namespace
{

void add_value(uint64_t *sum, size_t member, ondemand::value value)
{
	switch (value.type()) {
	case ondemand::json_type::string: {
		std::string_view text = value.get_string();
		sum_string(sum, member, text.data(), text.size());
		break;
	}
	case ondemand::json_type::boolean:
		sum_number(sum, member_count + member, bool(value.get_bool()));
		break;
	case ondemand::json_type::number:
		sum_number(sum, member, double(value.get_double()));
		break;
	default:
		break;
	}
}

void add_member(uint64_t *sum, size_t member, ondemand::value value)
{
	switch (members[member].kind) {
	case MEMBER_PLAIN:
		add_value(sum, member, value);
		return;
	case MEMBER_LIST:
		for (ondemand::value element : value.get_array())
			add_value(sum, member, element);
		return;
	default:
		break;
	}
	bool wants_set = members[member].kind != MEMBER_NUMBER;
	for (auto field : value.get_object()) {
		std::string_view key = field.unescaped_key();
		if (key == "number" || (wants_set && key == "set"))
			add_value(sum, member, field.value());
	}
}

/* The names by length and first letter: as cheap as the look-up that it is compared with. */
struct names {
	std::vector<std::vector<size_t>> slots = std::vector<std::vector<size_t>>(2048);
	static size_t slot(std::string_view name)
	{
		return name.empty() ? 0 : (name.size() % 64) * 32 + (unsigned char)name[0] % 32;
	}
	names()
	{
		for (size_t i = 0; i < member_count; i++)
			slots[slot(members[i].name)].push_back(i);
	}
	int find(std::string_view name) const
	{
		for (size_t i : slots[slot(name)])
			if (name == members[i].name)
				return (int)i;
		return -1;
	}
};

} // namespace

extern "C" uint64_t read_with_simdjson(const char *bytes, size_t len)
{
	uint64_t sum = 0;
	static const names wanted;
	try {
		ondemand::parser parser;
		auto document = parser.iterate(bytes, len, len + BODY_PADDING);
		for (ondemand::object job : document["jobs"].get_array()) {
			for (auto field : job) {
				int member = wanted.find(field.unescaped_key());
				if (member >= 0)
					add_member(&sum, (size_t)member, field.value());
			}
		}
	} catch (const simdjson_error &error) {
		std::fprintf(stderr, "bench_json: simdjson: %s\n", error.what());
		std::exit(1);
	}
	return sum;
}
