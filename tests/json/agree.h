/* Holds the reader against json-c: reads one document with both and compares what they say. */
#pragma once

#include "base/buf.h"

enum agreement {
	BOTH_ACCEPT, /* and every value is the same */
	BOTH_REFUSE,
	ONLY_JSON_C_ACCEPTS, /* in one of the ways in which json-c 0.16 is laxer than RFC 8259 */
	DISAGREE
};

/* What json-c makes of a document, and the paths of everything in it. */
struct answer;

struct answer *answer_new(struct text document);
void answer_free(struct answer *answer);

/* Feeds the document to our reader, with all of its values wanted. The chunks have `chunk` bytes or, if that is 0,
 * random sizes that depend on `seed`. Adds to *why what the two readers disagree about. */
enum agreement answer_compare(struct answer *answer, size_t chunk, uint64_t seed, struct buf *why);
