/* Hashes are those that anybody with the key can compute: printf %s u-alice | openssl dgst -sha256 -hmac KEY. The ones here
 * are from Python's hmac module. A record that is decoded has the hash of each name, whatever the endpoint, and no name. */
#include "check.h"

#include "base/buf.h"
#include "model/association.h"
#include "model/controller.h"
#include "model/fairshare.h"
#include "model/job_run.h"
#include "model/node.h"
#include "model/reservation.h"
#include "model/rpc.h"
#include "model/user.h"
#include "slurmrest/decode.h"
#include "slurmrest/endpoint.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "0123456789abcdef0123456789ABCDEF"
#define ALL ((UINT64_C(1) << HASHED_KINDS) - 1)

static char path[] = "/tmp/slurmscope-test-name_hash-XXXXXX";

static void write_key(const char *key, size_t len, mode_t mode)
{
	int file = open(path, O_WRONLY | O_TRUNC);
	CHECK(file >= 0 && write(file, key, len) == (ssize_t)len && fchmod(file, mode) == 0);
	close(file);
}

static struct name_hash *hash_of(uint64_t kinds)
{
	struct error err = {""};
	write_key(KEY, sizeof KEY - 1, 0600);
	struct name_hash *hash = name_hash_new(path, kinds, &err);
	CHECK_STRING(err.text, "");
	return hash;
}

static void test_known(void)
{
	static const struct {
		enum hashed kind;
		const char *name, *hash;
	} rows[] = {
		{HASHED_USERS, "alice", "u-e5dac78553933b24"},
		{HASHED_USERS, "u-alice", "u-b70381d0f0fb58c4"}, /* a name that looks like a hash is hashed, too */
		{HASHED_USERS, "J\303\266rg", "u-0aead9a76c69eb8f"},
		{HASHED_USERS, "4711", "u-690ce5ef81870e8d"},
		{HASHED_ACCOUNTS, "alice",
		 "a-762b78279abf1193"}, /* not as the user's, or who reads one finds the other */
		{HASHED_JOBS, "train alice", "j-dd7b38201075e483"},
		{HASHED_RESERVATIONS, "alice_7", "r-e39d33134a51f895"},
		{HASHED_REASONS, "alice broke it", "t-2d235d7c1ecb00aa"},
		{HASHED_USERS, "root", "root"},
		{HASHED_ACCOUNTS, "root", "root"},
		{HASHED_JOBS, "root", "j-f0036e29e46a328c"},
		{HASHED_USERS, "", ""},
	};
	struct name_hash *hash = hash_of(ALL);
	struct arena texts = ARENA_INIT;
	for (size_t again = 0; again < 2; again++) /* a hash depends on none that was made before */
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			check_row(rows[i].name);
			struct text text = name_hash(hash, rows[i].kind, text_of(rows[i].name), &texts);
			CHECK_STRING(text.bytes, rows[i].hash);
			CHECK_NUMBER(text.len, strlen(rows[i].hash));
		}
	arena_done(&texts);
	name_hash_free(hash);
}

static void test_kinds(void)
{
	struct arena texts = ARENA_INIT;
	for (int on = 0; on < HASHED_KINDS; on++) {
		struct name_hash *hash = hash_of(UINT64_C(1) << on);
		for (int kind = 0; kind < HASHED_KINDS; kind++) {
			struct text text = name_hash(hash, (enum hashed)kind, TEXT("alice"), &texts);
			check_row(hashed_names[kind]);
			CHECK((kind == on) == !text_equal(text, TEXT("alice")));
		}
		name_hash_free(hash);
	}
	check_row("no hashes");
	CHECK_STRING(name_hash(NULL, HASHED_USERS, TEXT("alice"), &texts).bytes, "alice");
	arena_done(&texts);
}

/* A list as long as anybody likes costs no more hashes than of 4 KiB. */
static void test_long_list(void)
{
	struct name_hash *hash = hash_of(ALL);
	struct arena texts = ARENA_INIT;
	struct buf names = BUF_INIT;
	for (int i = 0; i < 100000; i++)
		buf_add_string(&names, "alice,");
	check_row("a long list");
	struct text list = name_hash_each(hash, HASHED_RESERVATIONS, buf_text(&names), &texts);
	CHECK(list.len >= 4096 && list.len < 4096 + NAME_HASH_BYTES);
	CHECK(text_starts_with(list, "r-7c7c9e0c89cd135d,r-7c7c9e0c89cd135d,r-"));
	CHECK_NUMBER(name_hash_each(hash, HASHED_RESERVATIONS, TEXT(",,"), &texts).len, 0);
	buf_done(&names);
	arena_done(&texts);
	name_hash_free(hash);
}

/* The mark differs with the key and with the kinds, and only with these. */
static void test_mark(void)
{
	struct name_hash *hashes[] = {hash_of(ALL), hash_of(ALL), hash_of(1), NULL, NULL};
	struct error err = {""};
	write_key("another key: 0123456789abcdef0123456789ABCDEF", 45, 0600);
	hashes[3] = name_hash_new(path, ALL, &err);
	for (int a = 0; a < 5; a++)
		for (int b = 0; b < 5; b++)
			CHECK((strcmp(name_hash_mark(hashes[a]), name_hash_mark(hashes[b])) == 0) ==
			      (a == b || a + b == 1));
	CHECK_STRING(name_hash_mark(NULL), "");
	for (int i = 0; i < 5; i++)
		name_hash_free(hashes[i]);
}

static void test_files(void)
{
	struct error err;
	char whole[300];
	check_row("31 bytes");
	write_key(KEY, 31, 0600);
	CHECK(!name_hash_new(path, ALL, &err));
	snprintf(whole, sizeof whole, "%s: has 31 bytes; a key has at least 32", path);
	CHECK_STRING(err.text, whole);
	check_row("none");
	CHECK(!name_hash_new("/nowhere/key", ALL, &err));
	CHECK_STRING(err.text, "/nowhere/key: No such file or directory");
	check_row("empty");
	write_key("", 0, 0600);
	CHECK(!name_hash_new(path, ALL, &err));
	check_row("too large");
	char *large = calloc(1, 20000);
	write_key(large, 20000, 0600);
	CHECK(!name_hash_new(path, ALL, &err));
	free(large);
	static const struct {
		mode_t mode;
		bool is_open;
	} modes[] = {{0600, false}, {0640, false}, {0644, true}, {0602, true}};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		check_row("modes");
		write_key(KEY, sizeof KEY - 1, modes[i].mode);
		struct name_hash *hash = name_hash_new(path, ALL, &err);
		CHECK(hash && name_hash_key_is_open(hash) == modes[i].is_open);
		name_hash_free(hash);
	}
}

/* Each string member of a record that a row or the record itself hashes. */
struct member {
	size_t offset;
	const char *want;
};

#define MEMBER(record, member, want)                                                                                   \
	{                                                                                                              \
		offsetof(record, member), want                                                                         \
	}

struct seen {
	const struct member *members;
	unsigned records;
};

static void look(void *context, const void *record)
{
	struct seen *seen = context;
	for (const struct member *member = seen->members; member->want; member++) {
		const struct text *text = (const struct text *)((const char *)record + member->offset);
		char got[64];
		text_to_string(*text, got, sizeof got);
		CHECK_STRING(got, member->want);
	}
	seen->records++;
}

static void decode(const struct record_type *type, const struct name_hash *hash, const char *json, record_fn *take,
		   struct seen *seen, struct answer *ret_answer)
{
	struct vocabulary vocabulary;
	struct error err = {""};
	vocabulary_init(&vocabulary);
	struct decoder *decoder = decoder_new(type, &vocabulary);
	decoder_hash(decoder, hash);
	decoder_start(decoder, take, seen);
	CHECK(decoder_feed(decoder, json, strlen(json), &err) && decoder_finish(decoder, &err));
	*ret_answer = *decoder_answer(decoder);
	decoder_free(decoder);
	vocabulary_done(&vocabulary);
}

static void test_records(void)
{
	static const char two[] = "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"user_name\":\"alice\","
				  "\"wckey\":\"*alice\",\"resv_name\":\"alice,bob\"}]}";
	static const struct member number[] = {MEMBER(struct job, user, "u-690ce5ef81870e8d"), {0}};
	static const struct member plain_number[] = {MEMBER(struct job, user, "4711"), {0}};
	static const struct member user[] = {MEMBER(struct fairshare, name, "u-e5dac78553933b24"),
					     MEMBER(struct fairshare, parent, "a-762b78279abf1193"),
					     {0}};
	static const struct member account[] = {
		MEMBER(struct fairshare, name, "a-762b78279abf1193"), MEMBER(struct fairshare, parent, "root"), {0}};
	static const struct member command[] = {MEMBER(struct job_run, job.submit_line, ""), {0}};
	static const struct member job[] = {MEMBER(struct job, user, "u-e5dac78553933b24"),
					    MEMBER(struct job, account, "a-762b78279abf1193"),
					    MEMBER(struct job, name, "j-8aacdf4eec213446"),
					    MEMBER(struct job, reservation, "r-7c7c9e0c89cd135d"),
					    MEMBER(struct job, wckey, "a-762b78279abf1193"),
					    MEMBER(struct job, comment, "j-8aacdf4eec213446"),
					    {0}};
	static const struct member default_wckey[] = {
		MEMBER(struct job, wckey, "a-762b78279abf1193"),
		MEMBER(struct job, reservation, "r-7c7c9e0c89cd135d,r-b7be7568badd074c"),
		{0}};
	static const struct member plain[] = {
		MEMBER(struct job, wckey, "*alice"), MEMBER(struct job, reservation, "alice,bob"), {0}};
	static const struct member asked[] = {
		MEMBER(struct job_run, reservation_requested, "r-7c7c9e0c89cd135d,r-b7be7568badd074c"),
		MEMBER(struct job_run, job.reservation, "r-7c7c9e0c89cd135d,r-b7be7568badd074c"),
		{0}};
	static const struct member run[] = {MEMBER(struct job_run, job.user, "u-e5dac78553933b24"),
					    MEMBER(struct job_run, job.account, "a-762b78279abf1193"),
					    MEMBER(struct job_run, job.name, "j-8aacdf4eec213446"),
					    MEMBER(struct job_run, job.reservation, "r-7c7c9e0c89cd135d"),
					    MEMBER(struct job_run, reservation_requested, "r-b7be7568badd074c"),
					    MEMBER(struct job_run, job.wckey, "a-762b78279abf1193"),
					    MEMBER(struct job_run, job.comment, "j-8aacdf4eec213446"),
					    {0}};
	static const struct member node[] = {MEMBER(struct node, reason, "t-141ee1f92c39449c"),
					     MEMBER(struct node, reason_user, "u-e5dac78553933b24"),
					     MEMBER(struct node, name, "alice"),
					     {0}};
	static const struct member association[] = {MEMBER(struct association, account, "a-762b78279abf1193"),
						    MEMBER(struct association, user, "u-e5dac78553933b24"),
						    MEMBER(struct association, parent, "a-762b78279abf1193"),
						    {0}};
	static const struct member reservation[] = {MEMBER(struct reservation, name, "r-7c7c9e0c89cd135d"), {0}};
	static const struct member person[] = {MEMBER(struct user, name, "u-e5dac78553933b24"), {0}};
	struct name_hash *hash = hash_of(ALL), *none = hash_of(UINT64_C(1) << HASHED_REASONS);
	const struct {
		const char *what;
		const struct record_type *type;
		const struct name_hash *hash;
		const char *json;
		const struct member *members;
	} rows[] = {
		{"a user by number", &job_record, hash,
		 "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"user_id\":4711}]}", number},
		{"likewise, no hashes", &job_record, NULL,
		 "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"user_id\":4711,\"user_name\":\"\"}]}",
		 plain_number},
		{"fairshare of a user", &fairshare_record, hash,
		 "{\"shares\":{\"shares\":[{\"name\":\"alice\",\"parent\":\"alice\",\"type\":[\"USER\"]}]}}", user},
		{"fairshare of an account", &fairshare_record, hash,
		 "{\"shares\":{\"shares\":[{\"type\":[\"ASSOCIATION\"],\"name\":\"alice\",\"parent\":\"root\"}]}}",
		 account},
		{"the command is forgotten", &job_run_record, hash,
		 "{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":[\"PENDING\"]},\"partition\":\"p\","
		 "\"submit_line\":\"sbatch -p p /home/alice/run\"}]}",
		 command},
		{"job", &job_record, hash,
		 "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"user_name\":\"alice\",\"account\":\"alice\",\"name\":\"alice\","
		 "\"resv_name\":\"alice\",\"wckey\":\"alice\",\"comment\":\"alice\"}]}",
		 job},
		{"a default wckey, two reservations", &job_record, hash, two, default_wckey},
		{"likewise, no hashes", &job_record, NULL, two, plain},
		{"likewise, hashes of others", &job_record, none, two, plain},
		{"two reservations that a run asked for", &job_run_record, hash,
		 "{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":\"PENDING\"},\"reservation\":{\"requested\":\"alice,bob\"}}]}",
		 asked},
		{"run", &job_run_record, hash,
		 "{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":\"PENDING\"},\"user\":\"alice\",\"account\":\"alice\",\"name\":\"alice\","
		 "\"reservation\":{\"name\":\"alice\",\"requested\":\"bob\"},\"wckey\":{\"wckey\":\"alice\"},"
		 "\"comment\":{\"job\":\"alice\"}}]}",
		 run},
		{"node", &node_record, hash,
		 "{\"nodes\":[{\"name\":\"alice\",\"state\":[\"DOWN\"],\"reason\":\"alice\",\"reason_set_by_user\":\"alice\"}]}",
		 node},
		{"association", &association_record, hash,
		 "{\"associations\":[{\"account\":\"alice\",\"user\":\"alice\",\"parent_account\":\"alice\"}]}",
		 association},
		{"reservation", &reservation_record, hash, "{\"reservations\":[{\"name\":\"alice\"}]}", reservation},
		{"user", &user_record, hash, "{\"users\":[{\"name\":\"alice\"}]}", person},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct seen seen = {rows[i].members, 0};
		struct answer answer;
		check_row(rows[i].what);
		decode(rows[i].type, rows[i].hash, rows[i].json, look, &seen, &answer);
		CHECK_NUMBER(seen.records, 1);
	}
	name_hash_free(none);
	name_hash_free(hash);
}

static void look_at_rpcs(void *context, const void *record)
{
	static const char *const users[] = {"u-e5dac78553933b24", "u-690ce5ef81870e8d", "root", "root"};
	struct seen *seen = context;
	const struct diag *diag = record;
	for (size_t i = 0; i < diag->rpcs_by_user.count; i++) {
		const struct rpc *rpc = &((const struct rpc *)diag->rpcs_by_user.items)[i];
		CHECK_STRING(rpc->name.bytes, users[i]);
		seen->records++;
	}
	for (size_t i = 0; i < diag->rpcs_by_type.count; i++) {
		const struct rpc *rpc = &((const struct rpc *)diag->rpcs_by_type.items)[i];
		CHECK_STRING(rpc->name.bytes, "REQUEST_PING");
		seen->records++;
	}
}

/* Names in lists, too; those of messages are no names of people. A user without a name has its number. */
static void test_lists(void)
{
	static const char json[] =
		"{\"statistics\":{\"req_time_start\":1,\"rpcs_by_user\":[{\"user\":\"alice\",\"user_id\":4711},"
		"{\"user_id\":4711,\"user\":\"\"},{\"user\":\"root\",\"user_id\":0},{\"user\":\"root\"}],"
		"\"rpcs_by_message_type\":[{\"message_type\":\"REQUEST_PING\"}]}}";
	struct name_hash *hash = hash_of(ALL);
	struct seen seen = {NULL, 0};
	struct answer answer;
	decode(&diag_record, hash, json, look_at_rpcs, &seen, &answer);
	CHECK_NUMBER(seen.records, 5);
	name_hash_free(hash);
}

/* slurmrestd describes errors in its own words, which may name somebody. */
static void test_errors(void)
{
	static const char json[] =
		"{\"errors\":[{\"description\":\"alice is unknown\",\"error\":\"Invalid user id\",\"error_number\":2}],"
		"\"warnings\":[{\"description\":\"no account of alice\"}],\"jobs\":[]}";
	struct name_hash *hash = hash_of(1);
	struct seen seen = {NULL, 0};
	struct answer answer;
	decode(&job_record, hash, json, look, &seen, &answer);
	CHECK_STRING(answer.error_description, "");
	CHECK_STRING(answer.warning, "");
	CHECK_STRING(answer.error, "Invalid user id");
	CHECK_NUMBER(answer.warning_count, 1);
	decode(&job_record, NULL, json, look, &seen, &answer);
	CHECK_STRING(answer.error_description, "alice is unknown");
	CHECK_STRING(answer.warning, "no account of alice");
	name_hash_free(hash);
}

int main(void)
{
	int file = mkstemp(path);
	CHECK(file >= 0);
	close(file);
	test_known();
	test_kinds();
	test_long_list();
	test_mark();
	test_files();
	test_records();
	test_lists();
	test_errors();
	unlink(path);
	return check_done();
}
