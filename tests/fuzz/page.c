/* From answers to pages: whatever slurmrestd says, the page is right in each format. The first byte of the input limits
 * rows. Then come answers, in their order: each is an endpoint's number and the answer's bytes up to a byte 0xff. */
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	struct cluster cluster;
	uint8_t most = input_byte(&input);
	cluster_init(&cluster);
	cluster_set_job_rows(&cluster, &(struct job_rows_max){{100, 100, 100}, 100});
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		cluster.caps.kinds[kind].max = most % 16 ? most % 16 - 1u : UINT64_MAX;
	while (input.at < input.end) {
		enum endpoint endpoint = input_byte(&input) % ENDPOINTS_POLLED;
		world_feed(&cluster, endpoint, input_text(&input));
	}
	cluster.controllers_are_sure = true;
	struct samples page = {.text = BUF_INIT};
	world_render(&cluster, NULL, &page);
	for (int format = 0; format < FORMATS; format++) {
		struct buf bytes = world_format(&page, (enum format)format);
		if (format != FORMAT_PROTOBUF)
			world_require_right(buf_text(&bytes), NULL, NULL);
		buf_done(&bytes);
	}
	samples_done(&page);
	cluster_done(&cluster);
	return 0;
}
