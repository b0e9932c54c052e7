/* Escapes what Slurm and its users wrote: invalid UTF-8 becomes U+FFFD, and the document around it stays well-formed. */
#pragma once

#include "base/buf.h"

/* A JSON string with its quotes; control characters are \u.... */
void quote_json(struct buf *out, struct text text);

/* For a value in a URL's query: what is not unreserved (RFC 3986) becomes %XX. */
void quote_url(struct buf *out, struct text text);

/* For HTML, between tags or in a quoted attribute; control characters become U+FFFD. */
void quote_html(struct buf *out, struct text text);
