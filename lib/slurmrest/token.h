/* The JSON Web Token that slurmrestd wants: read from a file that somebody else renews, or signed here
 * with the cluster's key. Never logged, never shown; the memory is wiped. Used by one thread. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { TOKEN_LIFETIME_S = 600 }; /* of tokens signed here */

struct token;

/* No token at all: rest_auth/local on a unix socket needs none. */
struct token *token_none(void);

/* The file holds the token, or what `scontrol token` prints. It is read again when it changes. */
struct token *token_from_file(const char *path);

/* Signs HS256 tokens for `user` with the key in the file (jwt_hs256.key): claims sun, iat, exp. A new
 * one is signed when half of the lifetime is over. */
struct token *token_from_key(const char *key_path, const char *user);

/* Makes the token fit for a request at `now` (Unix seconds). False: it cannot be read or signed; an
 * earlier one that is still valid stays in use, and true is returned. */
bool token_refresh(struct token *token, int64_t now, struct error *err);

/* After slurmrestd refused it: reads or signs again. True if the token is another one now. */
bool token_renew(struct token *token, int64_t now);

const char *token_value(const struct token *token); /* NULL if there is none; borrowed */
const char *token_user(const struct token *token); /* its claim `sun`; NULL if unknown; borrowed */
int64_t token_expiry(const struct token *token); /* Unix seconds; 0 if it has none or unknown */
int64_t token_issued(const struct token *token); /* likewise, its claim `iat` */

/* What is wrong with the file's permissions, as a sentence; NULL if nothing is. */
const char *token_file_warning(const struct token *token);

void token_free(struct token *token); /* NULL is fine */
