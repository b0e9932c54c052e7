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

/* Every value found at `path` is reported with `id` (>= 0). Paths that lie on the way to a wanted
 * one are walked but not reported. Asking twice for one path is a programmer's error (assert). */
void json_shape_want(struct json_shape *shape, const char *path, int id);

/* The document's member `other` is read as its member `name` is, of which something is wanted already. */
void json_shape_alias(struct json_shape *shape, const char *name, const char *other);

void json_shape_free(struct json_shape *shape); /* NULL is fine */
