/* libFuzzer: any bytes at all; json-c and our reader agree about them. The first byte chooses the
 * size of the chunks. Built with clang and -DFUZZ=ON; run: fuzz_reader -max_len=1500 corpus/ */
#include "agree.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct text document = {(const char *)data + 1, size - 1};
	struct buf why = BUF_INIT;
	struct answer *answer = answer_new(document);
	bool agree = answer_compare(answer, size, 0, &why) != DISAGREE &&
		     answer_compare(answer, data[0] % 32, size, &why) != DISAGREE;
	if (!agree) {
		fprintf(stderr, "%s\n", why.bytes);
		abort();
	}
	answer_free(answer);
	buf_done(&why);
	return 0;
}
