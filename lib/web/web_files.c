#include "web/web_files.h"

#include "base/memory.h"
#include "web/tls.h"
#include "yaml/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void wipe(struct buf *bytes)
{
	if (bytes->bytes)
		explicit_bzero(bytes->bytes, bytes->capacity);
	buf_done(bytes);
}

static void stamp(struct web_file *file)
{
	struct stat status;
	if (stat(file->path, &status) != 0)
		status = (struct stat){0};
	file->device = status.st_dev;
	file->inode = status.st_ino;
	file->size = status.st_size;
	file->changed = status.st_mtim;
}

/* One byte more than is allowed shows that the file is too large. */
static void read_bytes(struct web_file *file)
{
	FILE *from = fopen(file->path, "re");
	size_t max = WEB_FILE_BYTES_MAX + 1;
	if (from)
		setvbuf(from, NULL, _IONBF, 0); /* no second copy of a key */
	if (from)
		file->bytes.len = fread(buf_reserve(&file->bytes, max), 1, max, from);
	if (!from || ferror(from))
		file->error = memory_copy(strerror(errno), strlen(strerror(errno)));
	if (from)
		fclose(from);
}

/* Looks which version it is before it is read, so that a change meanwhile is seen afterwards. Takes the path. */
static struct web_file *add(struct web_files *files, char *path)
{
	struct web_file *file = &files->files[files->count++];
	*file = (struct web_file){.path = path};
	if (*path) {
		stamp(file);
		read_bytes(file);
	}
	return file;
}

/* Names are looked up where the configuration is. */
static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	struct buf joined = BUF_INIT;
	if (*name && *name != '/' && slash)
		buf_add(&joined, path, (size_t)(slash - path) + 1);
	buf_add(&joined, name, strlen(name));
	return joined.bytes ? joined.bytes : memory_copy("", 0);
}

static struct text text_under(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_find(map, key);
	return node && node->kind == YAML_SCALAR && !yaml_is_null(node) ? node->text : TEXT("");
}

/* Clients' certificates are checked, and nothing says by which authorities. */
static bool needs_system_trust(const struct yaml_node *tls)
{
	struct text type = text_under(tls, "client_auth_type");
	return (text_equal(type, TEXT("VerifyClientCertIfGiven")) ||
		text_equal(type, TEXT("RequireAndVerifyClientCert"))) &&
	       !text_under(tls, "client_ca").len && !text_under(tls, "client_ca_file").len;
}

static void add_named(struct web_files *files, const struct document *document)
{
	static const char *const keys[] = {"cert_file", "key_file", "client_ca_file"};
	const struct yaml_node *root = document_root(document);
	const struct yaml_node *tls = root ? yaml_find(root, "tls_server_config") : NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct text name = text_under(tls, keys[i]);
		if (name.len && !web_files_find(files, name.bytes))
			add(files, path_beside(files->files[0].path, name.bytes));
	}
	if (needs_system_trust(tls))
		tls_system_trust(&add(files, memory_copy(WEB_SYSTEM_TRUST, 0))->bytes);
}

void web_files_read(const char *path, struct web_files *ret_files)
{
	struct error unused; /* who makes something of it will say so */
	*ret_files = (struct web_files){.count = 0};
	const struct web_file *file = add(ret_files, memory_copy(path, strlen(path)));
	struct document *document = file->error ? NULL : document_parse(path, buf_text(&file->bytes), &unused);
	if (document)
		add_named(ret_files, document);
	document_free(document);
}

bool web_files_changed(const struct web_files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		const struct web_file *then = &files->files[i];
		struct web_file now = {.path = then->path};
		if (!*then->path)
			continue;
		stamp(&now);
		if (now.device != then->device || now.inode != then->inode || now.size != then->size ||
		    now.changed.tv_sec != then->changed.tv_sec || now.changed.tv_nsec != then->changed.tv_nsec)
			return true;
	}
	return false;
}

const struct web_file *web_files_find(const struct web_files *files, const char *name)
{
	char *path = path_beside(files->files[0].path, name);
	unsigned i = 0;
	while (i < files->count && strcmp(files->files[i].path, path) != 0)
		i++;
	free(path);
	return i < files->count ? &files->files[i] : NULL;
}

/* Each part with its length before it. */
static void write_part(struct buf *to, const void *bytes, size_t len)
{
	buf_add(to, &len, sizeof len);
	buf_add(to, bytes, len);
}

void web_files_write(const struct web_files *files, struct buf *to)
{
	size_t len = 0;
	for (unsigned i = 0; i < files->count; i++)
		len += 3 * sizeof len + strlen(files->files[i].path) + files->files[i].bytes.len +
		       (files->files[i].error ? strlen(files->files[i].error) : 0);
	buf_reserve(to, len); /* at once: growing would leave a key behind */
	for (unsigned i = 0; i < files->count; i++) {
		const struct web_file *file = &files->files[i];
		write_part(to, file->path, strlen(file->path));
		write_part(to, file->error, file->error ? strlen(file->error) : 0);
		write_part(to, file->bytes.bytes, file->bytes.len);
	}
}

static bool parse_part(struct text *rest, struct text *ret_part)
{
	size_t len;
	if (rest->len < sizeof len)
		return false;
	memcpy(&len, rest->bytes, sizeof len);
	*rest = (struct text){rest->bytes + sizeof len, rest->len - sizeof len};
	if (len > rest->len)
		return false;
	*ret_part = (struct text){rest->bytes, len};
	*rest = (struct text){rest->bytes + len, rest->len - len};
	return true;
}

bool web_files_parse(struct text bytes, struct web_files *ret_files)
{
	struct text path, error, content;
	*ret_files = (struct web_files){.count = 0};
	while (bytes.len && ret_files->count < WEB_FILES_MAX && parse_part(&bytes, &path) &&
	       parse_part(&bytes, &error) && parse_part(&bytes, &content)) {
		struct web_file *file = &ret_files->files[ret_files->count++];
		*file = (struct web_file){.path = memory_copy(path.bytes, path.len)};
		if (error.len)
			file->error = memory_copy(error.bytes, error.len);
		buf_add_text(&file->bytes, content);
	}
	if (!bytes.len && ret_files->count)
		return true;
	web_files_done(ret_files);
	return false;
}

void web_files_wipe(struct web_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		wipe(&files->files[i].bytes);
}

void web_files_done(struct web_files *files)
{
	web_files_wipe(files);
	while (files->count) {
		struct web_file *file = &files->files[--files->count];
		free(file->path);
		free(file->error);
	}
}
