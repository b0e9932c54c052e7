#include "slurmsim/auth.h"

#include "slurmsim/fatal.h"

#include <jwt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void auth_read_key(struct auth_key *key, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		fatal("%s: cannot be read", path);
	key->len = fread(key->bytes, 1, sizeof key->bytes, file);
	fclose(file);
	if (!key->len)
		fatal("%s: is empty", path);
}

bool auth_check(const struct auth_key *key, const char *token, int64_t now, char *ret_user, size_t size)
{
	jwt_t *jwt = NULL;
	if (jwt_decode(&jwt, token, key->bytes, (int)key->len))
		return false;
	const char *user = jwt_get_grant(jwt, "sun");
	bool is_good = jwt_get_alg(jwt) == JWT_ALG_HS256 && user && jwt_get_grant_int(jwt, "exp") > now;
	if (is_good)
		snprintf(ret_user, size, "%s", user);
	jwt_free(jwt);
	return is_good;
}

char *auth_sign(const struct auth_key *key, const char *user, int64_t now, int64_t lifetime_s)
{
	jwt_t *jwt = NULL;
	if (jwt_new(&jwt) || jwt_set_alg(jwt, JWT_ALG_HS256, key->bytes, (int)key->len) ||
	    jwt_add_grant(jwt, "sun", user) || jwt_add_grant_int(jwt, "iat", (long)now) ||
	    jwt_add_grant_int(jwt, "exp", (long)(now + lifetime_s)))
		fatal("libjwt does not sign");
	char *token = jwt_encode_str(jwt);
	jwt_free(jwt);
	return token;
}
