#include "web/passwords.h"

#include "base/memory.h"
#include "web/password_queue.h"

#include <assert.h>
#include <crypt.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { KNOWN_MAX = 128, SECRET_BYTES = 32, COST_MIN = 4, COST_MAX = 31 };

static_assert((int)PASSWORD_BYTES <= (int)CRYPT_MAX_PASSPHRASE_SIZE, "bcrypt takes fewer bytes");

/* Digests of passwords under a key of this process, so that no password is kept. */
struct known {
	struct password_digest digests[KNOWN_MAX];
	unsigned count;
};

/* Two hold it, the server and the thread; the last one frees it. When the server ends, the thread may be in a
 * comparison that takes seconds. */
struct passwords {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct password_queue queue;
	unsigned holders;
	bool is_ended;
	int wake;
	struct crypt_data crypt; /* the thread's */
	/* The server's. Wrong ones have a place of their own, so that guesses push out no right one. */
	unsigned char secret[SECRET_BYTES];
	struct known right, wrong;
};

bool password_hash_check(const char *hash, struct error *err)
{
	static const char alphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	enum { SALT_AT = 7 };
	if (strlen(hash) != PASSWORD_HASH_BYTES || hash[0] != '$' || hash[1] != '2' || !strchr("aby", hash[2]) ||
	    hash[3] != '$' || hash[6] != '$' || strspn(hash + SALT_AT, alphabet) != PASSWORD_HASH_BYTES - SALT_AT)
		return error_set(err, "not a bcrypt hash ($2y$10$...)");
	uint64_t cost;
	if (!text_to_u64((struct text){hash + 4, 2}, &cost) || cost < COST_MIN || cost > COST_MAX)
		return error_set(err, "the cost of a bcrypt hash must be from 04 to 31");
	return true;
}

/* a, b and y mean the same to Go; libxcrypt has its own idea of a. */
static void copy_hash(char *to, const char *hash)
{
	memcpy(to, hash, PASSWORD_HASH_BYTES + 1);
	to[2] = 'b';
}

static bool is_equal(const char *a, const char *b)
{
	unsigned char difference = 0;
	for (int i = 0; i < PASSWORD_HASH_BYTES; i++)
		difference |= (unsigned char)(a[i] ^ b[i]);
	return difference == 0;
}

static bool compare(struct passwords *passwords, const char *hash, const char *password)
{
	const char *got = crypt_r(password, hash, &passwords->crypt);
	bool is_right = got && strlen(got) == PASSWORD_HASH_BYTES && is_equal(got, hash);
	explicit_bzero(&passwords->crypt, sizeof passwords->crypt);
	return is_right;
}

static void release(struct passwords *passwords) /* with the lock, which it gives back */
{
	unsigned left = --passwords->holders;
	pthread_mutex_unlock(&passwords->lock);
	if (left)
		return;
	pthread_mutex_destroy(&passwords->lock);
	pthread_cond_destroy(&passwords->changed);
	explicit_bzero(passwords, sizeof *passwords);
	free(passwords);
}

static void wake_up(const struct passwords *passwords)
{
	uint64_t one = 1;
	if (write(passwords->wake, &one, sizeof one) < 0)
		return; /* it is full: the server is awake */
}

static void *look(void *context)
{
	struct passwords *passwords = context;
	char hash[PASSWORD_HASH_BYTES + 1], password[PASSWORD_BYTES];
	pthread_mutex_lock(&passwords->lock);
	while (!passwords->is_ended) {
		struct password_job *job = password_queue_begin(&passwords->queue);
		if (!job) {
			pthread_cond_wait(&passwords->changed, &passwords->lock);
			continue;
		}
		memcpy(hash, job->hash, sizeof hash);
		memcpy(password, job->password, sizeof password);
		pthread_mutex_unlock(&passwords->lock);
		bool is_right = compare(passwords, hash, password);
		explicit_bzero(password, sizeof password);
		pthread_mutex_lock(&passwords->lock);
		if (passwords->is_ended)
			break;
		job->verdict = is_right && job->is_user ? PASSWORD_RIGHT : PASSWORD_WRONG;
		job->state = PASSWORD_IS_DONE;
		wake_up(passwords);
	}
	release(passwords);
	return NULL;
}

struct passwords *passwords_new(int wake, struct error *err)
{
	struct passwords *passwords = NEW(struct passwords);
	pthread_t thread;
	pthread_mutex_init(&passwords->lock, NULL);
	pthread_cond_init(&passwords->changed, NULL);
	passwords->wake = wake;
	passwords->holders = 2;
	int code = gnutls_rnd(GNUTLS_RND_KEY, passwords->secret, sizeof passwords->secret);
	if (code >= 0 && pthread_create(&thread, NULL, look, passwords) == 0) {
		pthread_detach(thread);
		return passwords;
	}
	error_set(err, "cannot start the thread that checks passwords");
	passwords->holders = 1;
	passwords_free(passwords);
	return NULL;
}

/* In GnuTLS's error state (a self-test failed, say) it fails, and leaves all digests alike. */
static struct password_digest digest_of(const struct passwords *passwords, struct text text)
{
	struct password_digest digest = {.is_good = false};
	digest.is_good = gnutls_hmac_fast(GNUTLS_MAC_SHA256, passwords->secret, sizeof passwords->secret, text.bytes,
					  text.len, digest.bytes) >= 0;
	return digest;
}

static bool is_known(const struct known *known, const struct password_digest *digest)
{
	for (unsigned i = 0; i < known->count; i++)
		if (digest->is_good && memcmp(known->digests[i].bytes, digest->bytes, sizeof digest->bytes) == 0)
			return true;
	return false;
}

static void learn(struct known *known, const struct password_digest *digest)
{
	if (!digest->is_good || is_known(known, digest))
		return;
	unsigned at = known->count < KNOWN_MAX ? known->count++ : digest->bytes[0] % KNOWN_MAX;
	known->digests[at] = *digest;
}

/* A NUL would hide what follows it. */
static bool is_string(const char *from, const char *end)
{
	return !memchr(from, '\0', (size_t)(end - from));
}

/* "Basic " and base64 of "name:password", which lies then in *to, each part with its NUL. */
static bool decode(const char *authorization, gnutls_datum_t *to, char **ret_password)
{
	if (!authorization || strncasecmp(authorization, "Basic ", 6) != 0)
		return false;
	const char *encoded = authorization + 6 + strspn(authorization + 6, " ");
	gnutls_datum_t from = {(unsigned char *)encoded, (unsigned)strlen(encoded)};
	if (!from.size || gnutls_base64_decode2(&from, to) < 0)
		return false;
	char *text = memory_new(to->size + 1);
	memcpy(text, to->data, to->size);
	explicit_bzero(to->data, to->size);
	gnutls_free(to->data);
	to->data = (unsigned char *)text;
	char *colon = memchr(text, ':', to->size);
	if (colon && is_string(text, colon) && is_string(colon + 1, text + to->size) &&
	    text + to->size - colon <= PASSWORD_BYTES) {
		*colon = '\0';
		*ret_password = colon + 1;
		return true;
	}
	explicit_bzero(text, to->size);
	free(text);
	return false;
}

/* Once it has ended nobody would give a caller back. */
static enum password_verdict queue(struct passwords *passwords, const struct password_job *job)
{
	pthread_mutex_lock(&passwords->lock);
	bool is_taken = !passwords->is_ended && password_queue_add(&passwords->queue, job);
	pthread_cond_signal(&passwords->changed);
	if (password_queue_done(&passwords->queue)) /* perhaps one that made room */
		wake_up(passwords);
	pthread_mutex_unlock(&passwords->lock);
	return is_taken ? PASSWORD_LATER : PASSWORD_BUSY;
}

static enum password_verdict look_up(struct passwords *passwords, const struct web_user *users, unsigned count,
				     const char *name, const char *password, uint64_t source, void *whose)
{
	struct password_job job = {.whose = whose, .source = source};
	struct password_digest of_name = digest_of(passwords, text_of(name));
	const struct web_user *user = &users[of_name.bytes[0] % count];
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(users[i].name, name) != 0)
			continue;
		user = &users[i];
		job.is_user = true;
	}
	struct buf all = BUF_INIT;
	buf_add(&all, name, strlen(name) + 1);
	buf_add(&all, user->hash, strlen(user->hash) + 1);
	buf_add_string(&all, password);
	job.digest = digest_of(passwords, buf_text(&all));
	explicit_bzero(all.bytes, all.len);
	buf_done(&all);
	if (job.is_user && is_known(&passwords->right, &job.digest))
		return PASSWORD_RIGHT;
	if (is_known(&passwords->wrong, &job.digest))
		return PASSWORD_WRONG;
	copy_hash(job.hash, user->hash);
	memcpy(job.password, password, strlen(password));
	enum password_verdict verdict = queue(passwords, &job);
	explicit_bzero(&job, sizeof job);
	return verdict;
}

enum password_verdict passwords_look(struct passwords *passwords, const struct web_user *users, unsigned count,
				     const char *authorization, uint64_t source, void *whose)
{
	gnutls_datum_t both;
	char *password;
	if (!decode(authorization, &both, &password))
		return PASSWORD_WRONG;
	enum password_verdict verdict = look_up(passwords, users, count, (char *)both.data, password, source, whose);
	explicit_bzero(both.data, both.size);
	free(both.data);
	return verdict;
}

bool passwords_user(const char *authorization, struct buf *to)
{
	gnutls_datum_t both;
	char *password;
	if (!decode(authorization, &both, &password))
		return false;
	buf_add_string(to, (char *)both.data);
	explicit_bzero(both.data, both.size);
	free(both.data);
	return true;
}

void *passwords_next(struct passwords *passwords, enum password_verdict *ret_verdict)
{
	void *whose = NULL;
	pthread_mutex_lock(&passwords->lock);
	struct password_job *job = password_queue_done(&passwords->queue);
	if (job) {
		whose = job->whose;
		*ret_verdict = job->verdict;
		if (job->verdict != PASSWORD_BUSY)
			learn(job->verdict == PASSWORD_RIGHT ? &passwords->right : &passwords->wrong, &job->digest);
		password_queue_release(job);
	}
	pthread_mutex_unlock(&passwords->lock);
	return whose;
}

void *passwords_give_up(struct passwords *passwords)
{
	void *whose = NULL;
	pthread_mutex_lock(&passwords->lock);
	passwords->is_ended = true;
	pthread_cond_signal(&passwords->changed);
	struct password_job *job = password_queue_any(&passwords->queue);
	if (job) {
		whose = job->whose;
		password_queue_release(job);
	}
	pthread_mutex_unlock(&passwords->lock);
	return whose;
}

void passwords_free(struct passwords *passwords)
{
	if (!passwords)
		return;
	pthread_mutex_lock(&passwords->lock);
	passwords->is_ended = true;
	pthread_cond_signal(&passwords->changed);
	release(passwords);
}
