/* Basic authentication with bcrypt hashes. A comparison takes a tenth of a second, so a thread of its own makes them,
 * one at a time. A password that was found right is known from then on; so are the last wrong ones. Sources take turns
 * (password_queue.h).
 *
 * The time that an answer takes does not show whether a user exists. The password of an unknown user is compared with a
 * known user's hash. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { PASSWORD_HASH_BYTES = 60 };

struct web_user {
	const char *name, *hash;
};

enum password_verdict {
	PASSWORD_RIGHT,
	PASSWORD_WRONG,
	PASSWORD_LATER, /* passwords_next will tell */
	PASSWORD_BUSY, /* too many are being looked at, or the end has come */
};

struct passwords;

/* `wake` is written to (an eventfd) whenever passwords_next has something; it is borrowed. */
struct passwords *passwords_new(int wake, struct error *err);

/* The value of an Authorization header, NULL: there is none. `whose` is given back by passwords_next, or at the end by
 * passwords_give_up. Of callers from one source not more are looked at than of those from another. */
enum password_verdict passwords_look(struct passwords *passwords, const struct web_user *users, unsigned count,
				     const char *authorization, uint64_t source, void *whose);

/* Appends the user's name in the value of an Authorization header; false: there is none. */
bool passwords_user(const char *authorization, struct buf *to);

/* The next caller whose password has been checked: right or wrong; or busy, if it had to make room. NULL: none yet. */
void *passwords_next(struct passwords *passwords, enum password_verdict *ret_verdict);

/* At the end: the next caller whose password will not be checked any more; NULL: none is left. */
void *passwords_give_up(struct passwords *passwords);

/* Does not wait for the thread. NULL is fine. */
void passwords_free(struct passwords *passwords);

/* Is it a bcrypt hash? */
bool password_hash_check(const char *hash, struct error *err);
