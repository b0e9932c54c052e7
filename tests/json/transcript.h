/* Runs the reader over a document and writes down what it reports, one item per value. Doubles that are no integers are
 * written as %.17g. An example:
 * `1=null 2=true 3=-15 4=0.5 5="text" 6={ 6=end 7=[ 7=end` */
#pragma once

#include "base/buf.h"
#include "json/reader.h"

struct run {
	const char *const *paths; /* wanted; the index is the ID; ends with NULL */
	struct json_limits limits;
	size_t chunk; /* bytes per feed; 0: all at once */
	int stop_at; /* the callback fails at this value, counted from 1; 0: never */
};

/* Empties *events first. Each chunk is fed from a block of its own, so that a sanitizer sees any
 * access beyond it. False if the reader refused the document; *err then says why. */
bool transcript(const struct run *run, struct text document, struct buf *events, struct error *err);
