/* Passwords that wait to be compared, and the results. To be used by the thread that holds the lock of `struct
 * passwords`.
 *
 * Sources take turns, however many passwords each has here: a flood of guesses from one delays the others by one
 * comparison each. When the queue is full, a source that has fewer here takes the place of one that has the most. */
#pragma once

#include "web/passwords.h"

enum { PASSWORD_QUEUE_MAX = 64, PASSWORD_DIGEST_BYTES = 32, PASSWORD_BYTES = 512 /* with its NUL */ };

struct password_digest {
	bool is_good; /* false: GnuTLS could not make it, so it is equal to none */
	unsigned char bytes[PASSWORD_DIGEST_BYTES];
};

struct password_job {
	char hash[PASSWORD_HASH_BYTES + 1];
	char password[PASSWORD_BYTES];
	struct password_digest digest;
	bool is_user; /* there is such a user; if not, the password is wrong whatever the comparison says */
	void *whose; /* the caller */
	uint64_t source; /* where it comes from */
	/* The queue's: */
	enum { PASSWORD_PLACE_IS_FREE, PASSWORD_WAITS, PASSWORD_IS_COMPARED, PASSWORD_IS_DONE } state;
	enum password_verdict verdict; /* once it is done */
	uint64_t turn, number; /* the smallest comes next: by turn, then by number */
};

/* More places than may wait: a job that makes room for another keeps its place until its caller has the verdict. */
struct password_queue {
	struct password_job places[2 * PASSWORD_QUEUE_MAX];
	uint64_t turn; /* of the comparison that was begun last */
	uint64_t number; /* how many jobs came */
};

/* Copies the job. False: the queue is full. */
bool password_queue_add(struct password_queue *queue, const struct password_job *job);

/* The next job to compare, which stays in its place until it is taken; NULL: none waits. */
struct password_job *password_queue_begin(struct password_queue *queue);

/* Takes out one that is done, or any one; NULL: there is none. Its place is wiped with password_queue_release. */
struct password_job *password_queue_done(struct password_queue *queue);
struct password_job *password_queue_any(struct password_queue *queue);
void password_queue_release(struct password_job *job);
