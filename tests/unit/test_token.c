#include "check.h"
#include "slurmrest/token.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-token-XXXXXX", path[64];

static void write_file(const char *text, mode_t mode)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
	fchmod(file, mode);
	close(file);
}

/* {"exp":2000000000,"iat":1900000000,"sun":"alice"} */
#define ALICE "e30.eyJleHAiOjIwMDAwMDAwMDAsImlhdCI6MTkwMDAwMDAwMCwic3VuIjoiYWxpY2UifQ.c2ln"

static void test_file(void)
{
	static const struct {
		const char *text, *value; /* NULL value: refused */
	} rows[] = {
		{ALICE, ALICE},
		{ALICE "\n", ALICE},
		{"SLURM_JWT=" ALICE "\n", ALICE},
		{"not.a.token", "not.a.token"},
		{"a.b.c==", "a.b.c=="},
		{"SLURM_JWT=a.b.c==\n", "a.b.c=="},
		{"", NULL},
		{"\n", NULL},
		{"SLURM_JWT=\n", NULL},
		{"two words", NULL},
		{"evil\r\nX-Header: yes", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		check_row(rows[i].text);
		write_file(rows[i].text, 0600);
		struct token *token = token_from_file(path);
		bool ok = token_refresh(token, 1000, &err);
		CHECK(ok == (rows[i].value != NULL));
		CHECK_STRING(token_value(token), rows[i].value);
		CHECK(ok || strstr(err.text, path)); /* says which file, not what is in it */
		token_free(token);
	}
}

static void test_claims_and_rotation(void)
{
	struct error err = {""};
	check_row("claims");
	write_file(ALICE, 0600);
	struct token *token = token_from_file(path);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_STRING(token_user(token), "alice");
	CHECK_NUMBER(token_expiry(token), 2000000000);
	CHECK(token_file_warning(token) == NULL);

	check_row("a file that vanished: the token stays in use until it expires");
	unlink(path);
	CHECK(token_refresh(token, 1999999999, &err));
	CHECK(!token_renew(token, 1999999999));
	CHECK_STRING(token_value(token), ALICE);

	CHECK(!token_refresh(token, 2000000000, &err));
	CHECK(strstr(err.text, path));
	err.text[0] = '\0';

	check_row("a file without a token: likewise");
	write_file("two words", 0600);
	CHECK(token_refresh(token, 1999999999, &err));
	CHECK_STRING(token_value(token), ALICE);
	CHECK(!token_refresh(token, 2000000000, &err));
	CHECK(strstr(err.text, path));

	check_row("a new file, readable by others");
	write_file("a.b.c", 0644);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_STRING(token_value(token), "a.b.c");
	CHECK(token_user(token) == NULL);
	CHECK_NUMBER(token_expiry(token), 0);
	CHECK(token_file_warning(token) != NULL);

	check_row("the same file, now for its owner alone");
	chmod(path, 0600);
	CHECK(token_refresh(token, 1000, &err));
	CHECK(token_file_warning(token) == NULL);

	check_row("claims with padding");
	write_file("e30.eyJzdW4iOiJhIn0=.c2ln", 0600);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_STRING(token_user(token), "a");

	check_row("as long as may be, and longer");
	static char longest[16 * 1024 + 2];
	memset(longest, 'x', sizeof longest - 2);
	write_file(longest, 0600);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_NUMBER(strlen(token_value(token)), 16 * 1024);
	longest[16 * 1024] = 'x';
	write_file(longest, 0600);
	CHECK(!token_renew(token, 1000));
	write_file("a.b.c", 0600);
	CHECK(token_refresh(token, 1000, &err));

	check_row("another file of the same age");
	struct stat old;
	stat(path, &old);
	unlink(path);
	write_file("x.y.z", 0600);
	utimensat(AT_FDCWD, path, (struct timespec[]){old.st_atim, old.st_mtim}, 0);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_STRING(token_value(token), "x.y.z");

	check_row("a file without a token: one that says no end stays in use");
	write_file("two words", 0600);
	CHECK(token_refresh(token, 1000, &err));
	CHECK_STRING(token_value(token), "x.y.z");
	write_file("x.y.z", 0600);

	check_row("refused by slurmrestd: another one, or the same");
	CHECK(!token_renew(token, 1000));
	write_file("d.e.f", 0600);
	CHECK(token_renew(token, 1000));
	CHECK_STRING(token_value(token), "d.e.f");
	token_free(token);
}

/* A token with these claims, whose signature nobody here looks at. */
static void write_claims(const char *claims)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	char text[512] = "e30.";
	size_t len = strlen(text);
	uint32_t bits = 0, have = 0;
	for (const char *at = claims; *at; at++)
		for (bits = bits << 8 | (unsigned char)*at, have += 8; have >= 6;)
			text[len++] = digits[bits >> (have -= 6) & 63];
	if (have)
		text[len++] = digits[bits << (6 - have) & 63];
	strcpy(text + len, ".c2ln");
	write_file(text, 0600);
}

static void test_odd_claims(void)
{
	static const struct {
		const char *claims, *user;
		int64_t expiry, issued;
	} rows[] = {
		{"{\"exp\":2000000000,\"iat\":1900000000,\"sun\":\"alice\"}", "alice", 2000000000, 1900000000},
		{"{\"exp\":2000000000.5,\"iat\":1.9e9,\"sun\":\"ünï\"}", "ünï", 2000000000, 1900000000},
		{"{\"exp\":null,\"iat\":null,\"sun\":null}", NULL, 0, 0},
		{"{\"exp\":\"2000000000\",\"iat\":[1],\"sun\":1}", NULL, 0, 0},
		{"{\"exp\":true,\"iat\":{},\"sun\":[\"alice\"]}", NULL, 0, 0},
		{"{\"exp\":-1,\"iat\":-1e300,\"sun\":\"\"}", NULL, 0, 0},
		{"{\"exp\":1e300,\"iat\":99999999999999999999,\"sun\":\"a\\u0000b\"}", NULL, 0, 0},
		{"{\"sun\":\"alice\\r\\nX-Header: yes\"}", NULL, 0, 0}, /* it becomes a header */
		{"{\"username\":\"prom\"}", "prom", 0, 0},
		{"{\"username\":\"prom\",\"sun\":\"alice\"}", "alice", 0, 0},
		{"{\"username\":\"prom\",\"sun\":null}", NULL, 0, 0},
		{"{\"username\":[\"prom\"]}", NULL, 0, 0},
		{"{}", NULL, 0, 0},
		{"[]", NULL, 0, 0},
		{"null", NULL, 0, 0},
		{"{\"sun\":", NULL, 0, 0},
		{"", NULL, 0, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		check_row(rows[i].claims);
		write_claims(rows[i].claims);
		struct token *token = token_from_file(path);
		CHECK(token_refresh(token, 1000, &err));
		CHECK_STRING(token_user(token), rows[i].user);
		CHECK_NUMBER(token_expiry(token), rows[i].expiry);
		CHECK_NUMBER(token_issued(token), rows[i].issued);
		token_free(token);
	}
}

static void test_signing(void)
{
	static const struct {
		const char *name;
		int64_t after_s;
		bool is_new;
	} rows[] = {
		{"at once", 0, false},
		{"before half of its life", TOKEN_LIFETIME_S / 2 - 1, false},
		{"a third of its life is not left yet", TOKEN_LIFETIME_S / 2, true},
		{"expired long ago", 10 * TOKEN_LIFETIME_S, true},
		{"the clock stepped back", -1, true},
	};
	write_file("0123456789abcdef0123456789abcdef", 0600);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const int64_t start = 1800000000;
		struct error err = {""};
		check_row(rows[i].name);
		struct token *token = token_from_key(path, "scope");
		CHECK(token_refresh(token, start, &err));
		CHECK_STRING(token_user(token), "scope");
		CHECK_NUMBER(token_expiry(token), start + TOKEN_LIFETIME_S);
		char *first = strdup(token_value(token));
		CHECK(token_refresh(token, start + rows[i].after_s, &err));
		CHECK((strcmp(first, token_value(token)) != 0) == rows[i].is_new);
		CHECK_NUMBER(token_expiry(token), start + (rows[i].is_new ? rows[i].after_s : 0) + TOKEN_LIFETIME_S);
		free(first);
		token_free(token);
	}
}

static void test_other_key(void)
{
	const int64_t start = 1800000000;
	struct error err = {""};
	check_row("another key is signed with at once");
	write_file("0123456789abcdef0123456789abcdef", 0600);
	struct token *token = token_from_key(path, "scope");
	CHECK(token_refresh(token, start, &err));
	char *first = strdup(token_value(token));
	write_file("fedcba9876543210fedcba9876543210", 0644);
	CHECK(token_refresh(token, start, &err));
	CHECK(strcmp(first, token_value(token)) != 0);
	CHECK(token_file_warning(token) != NULL);
	free(first);
	token_free(token);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/token", folder);
	test_file();
	test_claims_and_rotation();
	test_odd_claims();
	test_signing();
	test_other_key();
	unlink(path);
	rmdir(folder);
	return check_done();
}
