#include "base/memory.h"
#include "tree.h"

#include <stdlib.h>

struct step {
	int parent;
	char *name; /* owned; NULL: an element */
};

struct paths {
	struct json_shape *shape;
	struct json_object *ids; /* by path */
	struct step *steps; /* by ID */
	size_t count, capacity;
};

struct builder {
	const struct paths *paths;
	bool wants_tree;
	uint64_t hash;
	struct json_object *tree;
	struct json_object *open[TREE_DEPTH + 1]; /* the containers around the next value */
	int open_ids[TREE_DEPTH + 1];
	size_t depth;
};

/* ---- paths ---- */

struct paths *paths_new(struct json_shape *shape)
{
	struct paths *paths = NEW(struct paths);
	paths->shape = shape;
	paths->ids = json_object_new_object();
	return paths;
}

void paths_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->steps[i].name);
	free(paths->steps);
	json_object_put(paths->ids);
	free(paths);
}

static int path_id(struct paths *paths, const char *path, int parent, const char *name)
{
	struct json_object *known;
	if (json_object_object_get_ex(paths->ids, path, &known))
		return json_object_get_int(known);
	int id = (int)paths->count;
	GROW(paths->steps, paths->count, paths->capacity);
	paths->steps[paths->count++] = (struct step){parent, name ? memory_copy(name, strlen(name)) : NULL};
	json_object_object_add(paths->ids, path, json_object_new_int(id));
	json_shape_want(paths->shape, path, id);
	return id;
}

static void want_tree(struct paths *paths, struct json_object *tree, struct buf *path, int parent, const char *name);

static void want_below(struct paths *paths, struct json_object *tree, struct buf *path, int id)
{
	size_t len = path->len;
	if (json_object_is_type(tree, json_type_object)) {
		json_object_object_foreach(tree, key, value)
		{
			buf_printf(path, "%s%s", len ? "." : "", key);
			want_tree(paths, value, path, id, key);
			path->bytes[path->len = len] = '\0';
		}
	}
	if (json_object_is_type(tree, json_type_array)) {
		buf_add_string(path, "[]");
		for (size_t i = 0; i < json_object_array_length(tree); i++)
			want_tree(paths, json_object_array_get_idx(tree, i), path, id, NULL);
		path->bytes[path->len = len] = '\0';
	}
}

static void want_tree(struct paths *paths, struct json_object *tree, struct buf *path, int parent, const char *name)
{
	want_below(paths, tree, path, path_id(paths, path->bytes, parent, name));
}

void paths_want(struct paths *paths, struct json_object *tree)
{
	struct buf path = BUF_INIT;
	buf_add(&path, "", 0);
	want_tree(paths, tree, &path, -1, NULL);
	buf_done(&path);
}

/* ---- builder ---- */

struct builder *builder_new(const struct paths *paths, bool wants_tree)
{
	struct builder *builder = NEW(struct builder);
	builder->paths = paths;
	builder->wants_tree = wants_tree;
	builder->hash = 14695981039346656037u;
	return builder;
}

void builder_free(struct builder *builder)
{
	json_object_put(builder->tree);
	free(builder);
}

static void hash_bytes(struct builder *builder, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;
	for (size_t i = 0; i < len; i++)
		builder->hash = (builder->hash ^ byte[i]) * 1099511628211u;
}

static void hash_value(struct builder *builder, int id, const struct json_value *value)
{
	hash_bytes(builder, &id, sizeof id);
	hash_bytes(builder, &value->type, sizeof value->type);
	if (value->type == JSON_BOOL)
		hash_bytes(builder, &value->boolean, sizeof value->boolean);
	if (value->type == JSON_NUMBER) {
		hash_bytes(builder, &value->is_integer, sizeof value->is_integer);
		hash_bytes(builder, &value->magnitude, sizeof value->magnitude);
		hash_bytes(builder, &value->number, sizeof value->number);
	}
	if (value->type == JSON_STRING)
		hash_bytes(builder, value->text.bytes, value->text.len);
}

static struct json_object *new_number(const struct json_value *value)
{
	if (value->is_integer && !value->is_negative)
		return json_object_new_uint64(value->magnitude);
	if (value->is_integer && value->magnitude <= UINT64_C(1) << 63)
		return json_object_new_int64((int64_t)(0 - value->magnitude));
	return json_object_new_double(value->number);
}

static struct json_object *new_object(const struct json_value *value)
{
	switch (value->type) {
	case JSON_BOOL:
		return json_object_new_boolean(value->boolean);
	case JSON_NUMBER:
		return new_number(value);
	case JSON_STRING:
		return json_object_new_string_len(value->text.bytes, (int)value->text.len);
	case JSON_OBJECT:
		return json_object_new_object();
	case JSON_ARRAY:
		return json_object_new_array();
	default:
		return NULL;
	}
}

static bool is_consistent(const struct json_value *value)
{
	if (value->type != JSON_NUMBER || !value->is_integer)
		return true;
	double number = (double)value->magnitude;
	return value->number == (value->is_negative ? -number : number);
}

static bool attach(struct builder *builder, const struct step *step, struct json_object *object, struct error *err)
{
	if (step->parent < 0 && builder->depth == 0 && !builder->tree) {
		builder->tree = object;
		return true;
	}
	if (builder->depth == 0 || builder->open_ids[builder->depth] != step->parent)
		return error_set(err, "value outside of its container");
	if (step->name)
		json_object_object_add(builder->open[builder->depth], step->name, object);
	else
		json_object_array_add(builder->open[builder->depth], object);
	return true;
}

bool builder_add(void *context, int id, const struct json_value *value, struct error *err)
{
	struct builder *builder = context;
	hash_value(builder, id, value);
	if (!builder->wants_tree)
		return true;
	if (!is_consistent(value))
		return error_set(err, "number and magnitude differ");
	if (value->type == JSON_END)
		return builder->open_ids[builder->depth--] == id || error_set(err, "wrong end");
	struct json_object *object = new_object(value);
	if (!attach(builder, &builder->paths->steps[id], object, err))
		return false;
	if (value->type == JSON_OBJECT || value->type == JSON_ARRAY) {
		builder->depth++;
		builder->open[builder->depth] = object;
		builder->open_ids[builder->depth] = id;
	}
	return true;
}

struct json_object *builder_tree(struct builder *builder)
{
	return builder->tree;
}

uint64_t builder_hash(const struct builder *builder)
{
	return builder->hash ? builder->hash : 1;
}
