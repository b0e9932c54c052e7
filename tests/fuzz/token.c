/* A token's file, and the claims in it: what becomes a header has no control characters, and times are times. If the first
 * byte is odd, the rest is the claims alone, and is put into a token. */
#include "slurmrest/token.h"

#include "base/buf.h"
#include "fuzz.h"

static void add_base64url(struct buf *to, struct text bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32_t bits = 0;
	int have = 0;
	for (size_t i = 0; i < bytes.len; i++) {
		bits = bits << 8 | (unsigned char)bytes.bytes[i];
		for (have += 8; have >= 6; have -= 6)
			buf_add_char(to, digits[bits >> (have - 6) & 63]);
	}
	if (have)
		buf_add_char(to, digits[bits << (6 - have) & 63]);
}

static bool is_visible(const char *text, char from)
{
	for (; *text; text++)
		if ((unsigned char)*text < (unsigned char)from || *text == 0x7f)
			return false;
	return true;
}

static void check(const struct token *token)
{
	static const int64_t year_10000 = 253402300800;
	const char *value = token_value(token), *user = token_user(token);
	REQUIRE(value && *value && is_visible(value, '!'));
	REQUIRE(!user || (*user && is_visible(user, ' ')));
	REQUIRE(token_expiry(token) >= 0 && token_expiry(token) < year_10000);
	REQUIRE(token_issued(token) >= 0 && token_issued(token) < year_10000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	struct buf file = BUF_INIT;
	struct error err = {""};
	char path[64];
	bool are_claims = input_byte(&input) & 1;
	if (are_claims)
		buf_add_string(&file, "SLURM_JWT=eyJhbGciOiJIUzI1NiJ9.");
	if (are_claims)
		add_base64url(&file, input_rest(&input));
	else
		buf_add_text(&file, input_rest(&input));
	int descriptor = fuzz_file(buf_text(&file), path);
	struct token *token = token_from_file(path);
	if (token_refresh(token, 1800000000, &err))
		check(token);
	else
		REQUIRE(*err.text && !token_value(token));
	token_free(token);
	close(descriptor);
	buf_done(&file);
	return 0;
}
