/* What slurmrestd answers to a request. */
#pragma once

#include "slurmsim/sim.h"

struct request {
	const char *method, *path, *query; /* as they came, query "" if there is none */
	const char *token, *bearer, *accept; /* headers or NULL */
};

struct answer {
	int status;
	const char *type; /* text/plain or application/json */
	const char *plain; /* the second answer of 26.05, or the body of a text one */
	int endpoint; /* -1: none */
	struct buf body; /* so far */
	bool has_more; /* the rest comes by answer_more() */
	double delay_s; /* to wait before it is sent */
	struct fault fault; /* that it meets */
	char user[64], warning[128];
	/* For answer_more(). */
	struct sim *sim;
	struct view view;
	struct rows rows, errors, warnings, meta;
	struct value values[VALUES_MAX];
	struct writer writer;
};

/* Takes the lock. Small answers are whole afterwards; of a large one `body` is the beginning. */
void answer_make(struct sim *sim, const struct request *request, struct answer *answer);

/* Fills the body with what comes next; false when nothing is left. Takes the lock. */
bool answer_more(struct answer *answer);

/* Gives everything back; the world may move again. */
void answer_done(struct answer *answer);
