#include "sandbox/sandbox_writes.h"

#include <errno.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What Debian 12's header does not have yet. */
enum {
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
	NET_BIND_TCP = 1 << 0,
	NET_CONNECT_TCP = 1 << 1,
	SCOPE_ABSTRACT_SOCKETS = 1 << 0,
	SCOPE_SIGNALS = 1 << 1
};
struct ruleset {
	uint64_t handled_fs, handled_net, scoped; /* kernels that know less take zeros for the rest */
};

int sandbox_writes_abi(struct error *err)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, (uint32_t)LANDLOCK_CREATE_RULESET_VERSION);
	if (abi > 0)
		return (int)abi;
	error_set(err, "Landlock: %s", strerror(errno));
	return 0;
}

struct sandbox_rights sandbox_rights(int abi, bool notifies_abstract_socket)
{
	struct sandbox_rights rights = {
		.handled = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
			   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
		/* SQLite's file, its WAL and journal: made, written, removed, set aside under another name */
		.allowed = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG,
	};
	if (abi >= 3) {
		rights.handled |= FS_TRUNCATE;
		rights.allowed |= FS_TRUNCATE;
	}
	if (abi >= 5)
		rights.handled |= FS_IOCTL_DEV;
	if (abi >= 6)
		rights.scoped = SCOPE_SIGNALS | (notifies_abstract_socket ? 0 : SCOPE_ABSTRACT_SOCKETS);
	return rights;
}

static struct sandbox_rights rights_here(int abi)
{
	const char *notify = getenv("NOTIFY_SOCKET"); /* see slurmscope/notify.c */
	return sandbox_rights(abi, notify && *notify == '@');
}

int sandbox_writes_begin(int abi, struct error *err)
{
	const struct sandbox_rights rights = rights_here(abi);
	const struct ruleset ruleset = {.handled_fs = rights.handled, .scoped = rights.scoped};
	long rules = syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0U);
	if (rules < 0)
		error_set(err, "Landlock: %s", strerror(errno));
	return (int)rules;
}

bool sandbox_writes_allow(int rules, int abi, int folder)
{
	const struct landlock_path_beneath_attr beneath = {.allowed_access = sandbox_rights(abi, false).allowed,
							   .parent_fd = folder};
	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0U) == 0;
}

bool sandbox_writes_restrict(int rules, struct error *err)
{
	return syscall(SYS_landlock_restrict_self, rules, 0U) == 0 || error_set(err, "Landlock: %s", strerror(errno));
}

struct sandbox_rights sandbox_rights_of_server(int abi)
{
	struct sandbox_rights rights = sandbox_rights(abi, false);
	rights.handled |= abi >= 2 ? FS_REFER : 0;
#ifndef SLURMSCOPE_SANITIZED /* that look for leaks by files */
	rights.handled |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
#endif
	rights.allowed = 0;
	rights.ports = abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0;
	return rights;
}

bool sandbox_writes_of_server(int abi, struct error *err)
{
	const struct sandbox_rights rights = sandbox_rights_of_server(abi);
	const struct ruleset ruleset = {rights.handled, rights.ports, rights.scoped};
	long rules = syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0U);
	if (rules < 0)
		return error_set(err, "Landlock: %s", strerror(errno));
	bool is_held = sandbox_writes_restrict((int)rules, err);
	close((int)rules);
	return is_held;
}
