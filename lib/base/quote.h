/* What Slurm and its users wrote, made harmless: invalid UTF-8 becomes U+FFFD, whatever it is put into stays well-formed. */
#pragma once

#include "base/buf.h"

/* A JSON string with its quotes; control characters are \u.... */
void quote_json(struct buf *out, struct text text);

/* For HTML, between tags or in a quoted attribute; control characters become U+FFFD. */
void quote_html(struct buf *out, struct text text);
