/* Signs one token; the only user of libjwt, whose API changed between 1.x and 3.x. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* HS256 over {sun: user, iat, exp}. Returns a new string for free(), NULL if libjwt fails. */
char *token_sign(const unsigned char *key, size_t key_len, const char *user, int64_t issued_at, int64_t expires_at);
