/* A status as bytes that another process can read, where our pointers mean nothing. status_image.c has a table of all
 * members that point to something; a member that is not there points nowhere in the copy. */
#pragma once

#include "status/status.h"

/* To an empty buffer. */
void status_write(const struct status *status, struct buf *to);

/* A status of its own, made of a copy of these bytes; status_free gives it back. NULL: they are none. */
struct status *status_read(struct text bytes);
