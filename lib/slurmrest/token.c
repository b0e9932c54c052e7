#include "slurmrest/token.h"

#include "base/memory.h"
#include "base/text.h"
#include "slurmrest/secret_file.h"
#include "slurmrest/token_sign.h"

#include <json-c/json.h>
#include <stdlib.h>

struct token {
	char *path; /* of the token or the key; NULL: no token */
	char *sign_for; /* the user, when `path` is a key */
	char *value;
	char *user;
	int64_t issued_at, expires_at;
	struct stat file; /* as it was read */
};

static void wipe_and_free(char *secret)
{
	secret_free(secret, secret ? strlen(secret) : 0);
}

struct token *token_none(void)
{
	return NEW(struct token);
}

struct token *token_from_file(const char *path)
{
	struct token *token = NEW(struct token);
	token->path = memory_copy(path, strlen(path));
	return token;
}

struct token *token_from_key(const char *key_path, const char *user)
{
	struct token *token = token_from_file(key_path);
	token->sign_for = memory_copy(user, strlen(user));
	return token;
}

static char *base64url_decode(struct text text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char *bytes = memory_new(text.len + 1);
	uint32_t bits = 0;
	size_t have = 0, len = 0;
	for (size_t i = 0; i < text.len && text.bytes[i] != '='; i++) {
		const char *digit = memchr(digits, text.bytes[i], 64);
		if (!digit) {
			free(bytes);
			return NULL;
		}
		bits = bits << 6 | (uint32_t)(digit - digits);
		have += 6;
		if (have >= 8)
			bytes[len++] = (char)(bits >> (have -= 8));
	}
	return bytes;
}

/* Unix seconds up to the year 9999; 0: none. */
static int64_t read_time(json_object *claims, const char *name)
{
	json_object *claim;
	if (!json_object_object_get_ex(claims, name, &claim) ||
	    !(json_object_is_type(claim, json_type_int) || json_object_is_type(claim, json_type_double)))
		return 0;
	double seconds = json_object_get_double(claim);
	return seconds > 0 && seconds < 253402300800.0 ? (int64_t)seconds : 0;
}

/* What may become a header; NULL: none. Slurm reads `username` where there is no `sun` (auth_jwt.c). */
static char *read_user(json_object *claims)
{
	json_object *claim;
	if (!json_object_object_get_ex(claims, "sun", &claim) && !json_object_object_get_ex(claims, "username", &claim))
		return NULL;
	if (!json_object_is_type(claim, json_type_string))
		return NULL;
	struct text user = {json_object_get_string(claim), (size_t)json_object_get_string_len(claim)};
	for (size_t i = 0; i < user.len; i++)
		if ((unsigned char)user.bytes[i] < ' ' || user.bytes[i] == 0x7f)
			return NULL;
	return user.len ? memory_copy(user.bytes, user.len) : NULL;
}

/* The claims are read without checking the signature: we hold no key for a token from a file, and
 * slurmctld checks it anyway. Unreadable claims mean an unknown expiry, nothing worse. */
static void read_claims(struct token *token)
{
	struct text rest = text_of(token->value);
	text_cut(&rest, '.');
	char *payload = base64url_decode(text_cut(&rest, '.'));
	json_object *claims = payload ? json_tokener_parse(payload) : NULL;
	free(token->user);
	token->expires_at = read_time(claims, "exp");
	token->issued_at = read_time(claims, "iat");
	token->user = read_user(claims);
	json_object_put(claims);
	wipe_and_free(payload);
}

static void set_value(struct token *token, char *value)
{
	wipe_and_free(token->value);
	token->value = value;
	read_claims(token);
}

/* "SLURM_JWT=eyJ...\n" or "eyJ...\n": visible characters only, since it becomes a header. */
static char *token_in(const char *bytes, size_t len, const char *path, struct error *err)
{
	struct text text = {bytes, len};
	if (text_starts_with(text, "SLURM_JWT="))
		text_cut(&text, '=');
	while (text.len && strchr(" \t\r\n", text.bytes[text.len - 1]))
		text.len--;
	for (size_t i = 0; i < text.len; i++)
		if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
			text.len = 0;
	if (!text.len) {
		error_set(err, "%s: does not hold a token", path);
		return NULL;
	}
	return memory_copy(text.bytes, text.len);
}

static bool load(struct token *token, int64_t now, struct error *err)
{
	size_t len;
	char *bytes = secret_read(token->path, &len, &token->file, err), *value;
	if (!bytes)
		return false;
	if (token->sign_for) {
		value = token_sign((unsigned char *)bytes, len, token->sign_for, now, now + TOKEN_LIFETIME_S);
		if (!value)
			error_set(err, "%s: libjwt cannot sign with this key", token->path);
	} else {
		value = token_in(bytes, len, token->path, err);
	}
	secret_free(bytes, len);
	if (value)
		set_value(token, value);
	return value;
}

static bool is_same_moment(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Another file in its place, written to, or its mode changed? */
static bool is_file_changed(const struct token *token)
{
	const struct stat *was = &token->file;
	struct stat is;
	return stat(token->path, &is) == 0 &&
	       (is.st_ino != was->st_ino || is.st_dev != was->st_dev || is.st_size != was->st_size ||
		!is_same_moment(is.st_mtim, was->st_mtim) || !is_same_moment(is.st_ctim, was->st_ctim));
}

static bool is_due(const struct token *token, int64_t now)
{
	if (!token->value)
		return true;
	/* what is wrong with the file explains more than a refusal of slurmrestd */
	bool is_expired = token->expires_at && token->expires_at <= now;
	/* a clock that stepped back makes a token from the future */
	bool is_old = token->sign_for && (now >= token->issued_at + TOKEN_LIFETIME_S / 2 || now < token->issued_at);
	return is_expired || is_old || is_file_changed(token);
}

bool token_refresh(struct token *token, int64_t now, struct error *err)
{
	if (!token->path || !is_due(token, now))
		return true;
	struct error why;
	if (load(token, now, &why))
		return true;
	if (token->value && (!token->expires_at || token->expires_at > now))
		return true;
	*err = why;
	return false;
}

bool token_renew(struct token *token, int64_t now)
{
	if (!token->path)
		return false;
	char *before = token->value ? strdup(token->value) : NULL;
	struct error ignored;
	bool is_other = load(token, now, &ignored) && (!before || strcmp(before, token->value) != 0);
	wipe_and_free(before);
	return is_other;
}

const char *token_value(const struct token *token)
{
	return token->value;
}

const char *token_user(const struct token *token)
{
	return token->user;
}

int64_t token_expiry(const struct token *token)
{
	return token->expires_at;
}

int64_t token_issued(const struct token *token)
{
	return token->issued_at;
}

const char *token_file_warning(const struct token *token)
{
	if (!token->value || !secret_is_open(&token->file))
		return NULL;
	return token->sign_for ? "the JWT key file can be read or written by others: anyone who reads it "
				 "is root on the cluster"
			       : "the token file can be read or written by others";
}

void token_free(struct token *token)
{
	if (!token)
		return;
	wipe_and_free(token->value);
	free(token->user);
	free(token->sign_for);
	free(token->path);
	free(token);
}
