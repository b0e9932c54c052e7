#include "slurmrest/name_hash.h"

#include "base/memory.h"
#include "model/number.h"
#include "slurmrest/secret_file.h"

#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EACH_MAX = 4096 };
enum { MAC_BYTES = 32, SHOWN_BYTES = (NAME_HASH_BYTES - 3) / 2 };

struct name_hash {
	gnutls_hmac_hd_t mac;
	uint64_t kinds;
	char mark[NAME_HASH_BYTES];
	bool is_open;
};

const char *const hashed_names[HASHED_KINDS + 1] = {
	[HASHED_USERS] = "users",     [HASHED_ACCOUNTS] = "accounts",
	[HASHED_JOBS] = "jobs",	      [HASHED_RESERVATIONS] = "reservations",
	[HASHED_REASONS] = "reasons",
};

static const char prefixes[HASHED_KINDS][3] = {
	[HASHED_USERS] = "u-",	      [HASHED_ACCOUNTS] = "a-", [HASHED_JOBS] = "j-",
	[HASHED_RESERVATIONS] = "r-", [HASHED_REASONS] = "t-",
};

/* The arguments are right, and nothing is allocated: a failure would be a defect, and a name must not go on in clear. */
static void feed(const struct name_hash *hash, const char *bytes, size_t len)
{
	if (gnutls_hmac(hash->mac, bytes, len) < 0)
		abort();
}

static void write_hash(const struct name_hash *hash, const char *prefix, struct text name, char *to)
{
	unsigned char mac[MAC_BYTES] = {0};
	feed(hash, prefix, strlen(prefix));
	feed(hash, name.bytes, name.len);
	gnutls_hmac_output(hash->mac, mac); /* this also resets it */
	to += snprintf(to, NAME_HASH_BYTES, "%s", prefix);
	for (size_t i = 0; i < SHOWN_BYTES; i++)
		to += snprintf(to, 3, "%02x", mac[i]);
}

/* Its prefix is that of no kind, so it is the hash of no name. */
static void make_mark(struct name_hash *hash)
{
	char kinds[HASHED_KINDS + 1] = "";
	for (size_t kind = 0; kind < HASHED_KINDS; kind++)
		kinds[kind] = hash->kinds >> kind & 1 ? prefixes[kind][0] : '-';
	write_hash(hash, "=-", text_of(kinds), hash->mark);
}

struct name_hash *name_hash_new(const char *key_file, uint64_t kinds, struct error *err)
{
	size_t len;
	struct stat file;
	char *key = secret_read(key_file, &len, &file, err);
	if (!key)
		return NULL;
	struct name_hash *hash = NEW(struct name_hash);
	hash->kinds = kinds;
	hash->is_open = secret_is_open(&file);
	int code = GNUTLS_E_SUCCESS;
	if (len < NAME_HASH_KEY_BYTES_MIN)
		error_set(err, "%s: has %zu bytes; a key has at least %d", key_file, len, NAME_HASH_KEY_BYTES_MIN);
	else if ((code = gnutls_hmac_init(&hash->mac, GNUTLS_MAC_SHA256, key, len)) < 0)
		error_set(err, "%s: GnuTLS cannot use this key: %s", key_file, gnutls_strerror(code));
	secret_free(key, len);
	if (!hash->mac) {
		free(hash);
		return NULL;
	}
	make_mark(hash);
	return hash;
}

static bool is_everybodys(enum hashed kind, struct text name)
{
	return (kind == HASHED_USERS || kind == HASHED_ACCOUNTS) && text_equal(name, TEXT("root"));
}

static bool has_kind(const struct name_hash *hash, enum hashed kind)
{
	return hash && hash->kinds >> kind & 1;
}

struct text name_hash(const struct name_hash *hash, enum hashed kind, struct text name, struct arena *texts)
{
	if (!has_kind(hash, kind) || !name.len || is_everybodys(kind, name))
		return name;
	char *text = arena_new(texts, NAME_HASH_BYTES);
	write_hash(hash, prefixes[kind], name, text);
	return text_of(text);
}

struct text name_hash_each(const struct name_hash *hash, enum hashed kind, struct text names, struct arena *texts)
{
	struct text list = TEXT(""), name;
	if (!has_kind(hash, kind))
		return names;
	while (list.len < EACH_MAX && text_next(&names, ',', &name))
		arena_append(texts, &list, ',', name_hash(hash, kind, name, texts));
	return list;
}

struct text user_name_or_number(struct text name, uint64_t user_id, const struct name_hash *hash, struct arena *texts)
{
	char number[24];
	if (name.len || !number_is_known(user_id))
		return name;
	snprintf(number, sizeof number, "%" PRIu64, user_id);
	return name_hash(hash, HASHED_USERS, arena_copy(texts, text_of(number)), texts);
}

const char *name_hash_mark(const struct name_hash *hash)
{
	return hash ? hash->mark : "";
}

bool name_hash_key_is_open(const struct name_hash *hash)
{
	return hash->is_open;
}

void name_hash_free(struct name_hash *hash)
{
	if (!hash)
		return;
	gnutls_hmac_deinit(hash->mac, NULL);
	free(hash);
}
