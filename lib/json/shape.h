/* Which members of a JSON document are wanted, as a tree that the reader walks along.
 *
 * A path names members from the document's top: "jobs[].submit_time.number" is the member `number`
 * of the object `submit_time` of each element of the array `jobs`. "[]" after a name means each
 * element; the empty path is the document itself. A shape is made once, then never changed, and may
 * be used by any number of readers at a time. */
#pragma once

#include <stddef.h>

struct json_shape;

struct json_shape *json_shape_new(void);

/* The reader reports every value at `path` with `id` (>= 0). It walks through paths on the way to a wanted one, but
 * does not report them. To ask twice for one path is a programming error (assert). */
void json_shape_want(struct json_shape *shape, const char *path, int id);

/* The reader treats the document's member `other` like its member `name`, of which something is wanted already. */
void json_shape_alias(struct json_shape *shape, const char *name, const char *other);

void json_shape_free(struct json_shape *shape); /* NULL is fine */
