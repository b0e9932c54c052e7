/* Basic authentication with bcrypt hashes. A comparison takes a tenth of a second, so a thread of its own makes them,
 * one at a time; a password that was found right is known from then on.
 *
 * Nobody can tell from the time that an answer takes whether a user exists: for one who does not, the password is
 * compared with the hash of one who does. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

enum { PASSWORD_HASH_BYTES = 60 };

struct web_user {
	const char *name, *hash;
};

enum password_verdict {
	PASSWORD_RIGHT,
	PASSWORD_WRONG,
	PASSWORD_LATER, /* passwords_next will tell */
	PASSWORD_BUSY, /* too many are being looked at */
};

struct passwords;

/* `wake` is written to (an eventfd) whenever passwords_next has something; it is borrowed. */
struct passwords *passwords_new(int wake, struct error *err);

/* The value of an Authorization header, NULL: there is none. `whose` is given back by passwords_next. */
enum password_verdict passwords_look(struct passwords *passwords, const struct web_user *users, unsigned count,
				     const char *authorization, void *whose);

/* The next caller whose password has been checked, and whether it is right; NULL: none yet. */
void *passwords_next(struct passwords *passwords, bool *ret_is_right);

/* At the end: the next caller whose password will not be checked any more; NULL: none is left. */
void *passwords_give_up(struct passwords *passwords);

/* Does not wait for the thread. NULL is fine. */
void passwords_free(struct passwords *passwords);

/* Is it a bcrypt hash? */
bool password_hash_check(const char *hash, struct error *err);
