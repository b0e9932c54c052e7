/* Tokens: JWT, HS256, claims sun, iat, exp, as slurmctld checks them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct auth_key {
	unsigned char bytes[4096];
	size_t len; /* 0: tokens are not looked at */
};

void auth_read_key(struct auth_key *key, const char *path); /* ends the process if it cannot */

/* Whether the token is good now; its user. */
bool auth_check(const struct auth_key *key, const char *token, int64_t now, char *ret_user, size_t size);

/* A new token; free() gives it back. */
char *auth_sign(const struct auth_key *key, const char *user, int64_t now, int64_t lifetime_s);
