#include "slurmrest/token_sign.h"

#include "base/memory.h"

#include <jwt.h>
#include <stdlib.h>
#include <string.h>

char *token_sign(const unsigned char *key, size_t key_len, const char *user, int64_t issued_at, int64_t expires_at)
{
	jwt_t *jwt = NULL;
	char *copy = NULL;
	if (jwt_new(&jwt))
		return NULL;
	if (!jwt_set_alg(jwt, JWT_ALG_HS256, key, (int)key_len) && !jwt_add_grant(jwt, "sun", user) &&
	    !jwt_add_grant_int(jwt, "iat", (long)issued_at) && !jwt_add_grant_int(jwt, "exp", (long)expires_at)) {
		/* libjwt does not look whether OpenSSL signed: without memory the signature is whatever lay there. */
		char *token = jwt_encode_str(jwt), *again = jwt_encode_str(jwt);
		if (token && again && strcmp(token, again) == 0)
			copy = memory_copy(token, strlen(token));
		memory_wiping_free(token); /* jwt_free_str() came with 1.11 */
		memory_wiping_free(again);
	}
	jwt_free(jwt);
	return copy;
}
