/* Documents as json-c trees, and whether they are equal. One tree is what json-c read, made valid UTF-8. The other is
 * built from what our reader reports. */
#pragma once

#include "base/buf.h"
#include "json/reader.h"

#define json_type json_c_type /* reader.h has an enum of the same name */
#include <json-c/json.h>
#undef json_type

enum { TREE_DEPTH = 2000 };

/* Leaves out members with a name that no path can spell. False if two names have become one, so
 * that a comparison makes no sense. */
bool tree_copy(struct json_object *raw, struct json_object **ret_tree);

bool tree_equal(struct json_object *a, struct json_object *b, struct buf *why);

/* Every path of a tree, wanted in a shape, with its ID. */
struct paths;

struct paths *paths_new(struct json_shape *shape); /* borrows it */
void paths_want(struct paths *paths, struct json_object *tree);
void paths_free(struct paths *paths);

/* Builds a tree from the values of a reader whose shape has these paths. */
struct builder;

struct builder *builder_new(const struct paths *paths, bool wants_tree);
json_value_fn builder_add;
struct json_object *builder_tree(struct builder *builder); /* borrowed */
uint64_t builder_hash(const struct builder *builder); /* of all events; never 0 */
void builder_free(struct builder *builder);
