/* The JSON reader: json-c and ours agree about any document. The first byte chooses the size of the chunks. */
#include "agree.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	uint8_t chunk = input_byte(&input);
	struct buf why = BUF_INIT;
	struct answer *answer = answer_new(input_rest(&input));
	bool agree = answer_compare(answer, size, 0, &why) != DISAGREE &&
		     answer_compare(answer, chunk % 32, size, &why) != DISAGREE;
	if (!agree)
		fprintf(stderr, "%s\n", why.bytes);
	REQUIRE(agree);
	answer_free(answer);
	buf_done(&why);
	return 0;
}
