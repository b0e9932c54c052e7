/* Keyed hashes in place of names of people, and of what people named.
 *
 * The hash of the user alice is "u-" and the first 16 hexadecimal digits of HMAC-SHA-256(key, "u-alice"). It is the
 * same after each start, in each release, and in each cluster with the same key. It says nothing to people who lack the
 * key. Of a million names two have the same 64 bits with a probability of 3 in 100 million. Records get hashes while they
 * are decoded, so nothing behind the decoders ever has the names. Of one thread. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* What may be hashed. */
enum hashed { HASHED_USERS, HASHED_ACCOUNTS, HASHED_JOBS, HASHED_RESERVATIONS, HASHED_REASONS, HASHED_KINDS };
extern const char *const hashed_names[HASHED_KINDS + 1]; /* NULL ends them */

enum {
	NAME_HASH_KEY_BYTES_MIN = 32, /* as long as the hash: a longer key is not safer */
	NAME_HASH_BYTES = 2 + 16 + 1, /* a hash with its NUL */
};

struct name_hash;

/* `kinds`: a bit for each enum hashed. All bytes of the file are the key. NULL with *err set if it cannot be read, or has
 * too few bytes. */
struct name_hash *name_hash_new(const char *key_file, uint64_t kinds, struct error *err);

/* The hash, in the arena. The name itself if names of that kind stay, `hash` is NULL, or the name is empty or root. Everybody
 * knows root, and Slurm's tree of accounts begins with it. */
struct text name_hash(const struct name_hash *hash, enum hashed kind, struct text name, struct arena *texts);

/* Likewise each name of a list with commas between; commas stay. Of a list of more than 4 KiB the rest is left out. */
struct text name_hash_each(const struct name_hash *hash, enum hashed kind, struct text names, struct arena *texts);

/* The name of a user as it was decoded. If it is empty, because the controller cannot find it: the hash of its number; Slurm's
 * commands print the number then, too. */
struct text user_name_or_number(struct text name, uint64_t user_id, const struct name_hash *hash, struct arena *texts);

/* Which hashes these are: one text for each key and kinds, which tells nothing of the key; "" for NULL. Borrowed. */
const char *name_hash_mark(const struct name_hash *hash);

bool name_hash_key_is_open(const struct name_hash *hash); /* others may read the key file, or could when it was read */

void name_hash_free(struct name_hash *hash); /* NULL is fine */
