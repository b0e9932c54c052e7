/* A filter of system calls in the making. Of the files that have lists of calls. */
#pragma once

#include "base/error.h"

#include <seccomp.h>
#include <stdint.h>

#if defined __s390__ || defined __CRIS__
enum { CLONE_FLAGS_ARGUMENT = 1 };
#else
enum { CLONE_FLAGS_ARGUMENT = 0 };
#endif

struct filter {
	scmp_filter_ctx rules;
	int failure; /* the first; 0: none */
};

/* `other`: what happens to calls that have no rule. */
bool filter_begin(struct filter *filter, uint32_t other, struct error *err);

/* Where all of the arguments fit. A failure is kept for filter_load. */
void filter_reply(struct filter *filter, int error, int call, unsigned count, const struct scmp_arg_cmp *arguments);
void filter_allow(struct filter *filter, int call, unsigned count, const struct scmp_arg_cmp *arguments);

/* The number of a call; below 0: libseccomp does not know it. By name: none has a number on every architecture, and
 * libseccomp does not know the newest on every release. */
int filter_call(const char *name);

/* For all threads there are and will be; frees. Needs PR_SET_NO_NEW_PRIVS. */
bool filter_load(struct filter *filter, struct error *err);
