#include "sandbox/filter.h"

#include <errno.h>
#include <string.h>

bool filter_begin(struct filter *filter, uint32_t other, struct error *err)
{
	*filter = (struct filter){.rules = seccomp_init(other)};
	if (!filter->rules)
		return error_set(err, "seccomp: out of memory");
	/* calls of another architecture, x86-64's 32-bit ones, would go round all of it */
	seccomp_attr_set(filter->rules, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	seccomp_attr_set(filter->rules, SCMP_FLTATR_CTL_TSYNC, 1);
	return true;
}

static void add(struct filter *filter, uint32_t action, int call, unsigned count, const struct scmp_arg_cmp *arguments)
{
	int status = seccomp_rule_add_array(filter->rules, action, call, count, arguments);
	if (status < 0 && !filter->failure)
		filter->failure = -status;
}

void filter_reply(struct filter *filter, int error, int call, unsigned count, const struct scmp_arg_cmp *arguments)
{
	add(filter, SCMP_ACT_ERRNO((unsigned)error), call, count, arguments);
}

void filter_allow(struct filter *filter, int call, unsigned count, const struct scmp_arg_cmp *arguments)
{
	add(filter, SCMP_ACT_ALLOW, call, count, arguments);
}

int filter_call(const char *name)
{
	return seccomp_syscall_resolve_name(name);
}

bool filter_load(struct filter *filter, struct error *err)
{
	if (!filter->failure)
		filter->failure = -seccomp_load(filter->rules);
	seccomp_release(filter->rules);
	return !filter->failure || error_set(err, "seccomp: %s", strerror(filter->failure));
}
