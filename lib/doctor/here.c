/* What the daemon needs of this machine. */
#include "doctor/examinations.h"

#include "sandbox/sandbox.h"
#include "store/store.h"
#include "web/listen.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which user runs this: that decides which files can be read. */
static void examine_user(struct report *to)
{
	const struct passwd *user = getpwuid(geteuid());
	const char *name = user ? user->pw_name : "?";
	if (geteuid() == 0)
		report(to, VERDICT_OK, "user", NULL,
		       "doctor runs as root, who may read every file: run it as the daemon's user, too");
	else
		report(to, VERDICT_OK, "user", NULL, "doctor runs as %s: the daemon should run as the same user", name);
}

static bool take_start(void *context, long status, const char *bytes, size_t len)
{
	(void)status;
	struct buf *start = context;
	if (start->len < 4096)
		buf_add(start, bytes, len);
	return start->len < 4096;
}

/* Does a slurmscope listen there? Its landing page says so. */
static bool is_ours(const char *address)
{
	struct error ignored;
	struct buf url = BUF_INIT, start = BUF_INIT;
	if (strncmp(address, "unix:", 5) == 0)
		buf_add(&url, address, strcspn(address, ","));
	else
		buf_printf(&url, "http://%s%s", *address == ':' ? "127.0.0.1" : "", address);
	const struct http_options options = {.url = url.bytes, .timeout_s = 5};
	const struct http_header none = {NULL, NULL};
	struct http_reply reply;
	struct http *http = http_new(&options, &ignored);
	if (http)
		http_get(http, "/", &none, take_start, &start, &reply, &ignored);
	bool is_slurmscope = start.len && strstr(start.bytes, "slurmscope");
	http_free(http);
	buf_done(&url);
	buf_done(&start);
	return is_slurmscope;
}

static void examine_address(const char *address, struct report *to)
{
	struct error err;
	struct listeners listeners = {.count = 0};
	if (strncmp(address, "unix:", 5) == 0) /* trying would leave a socket there */
		report(to, VERDICT_OK, "address", NULL,
		       is_ours(address) ? "%s is served by a slurmscope" : "%s: no slurmscope serves there now",
		       address);
	else if (listen_open(&listeners, address, 0, &err))
		report(to, VERDICT_OK, "address", NULL, "%s is free: no slurmscope serves there now", address);
	else if (!strstr(err.text, strerror(EADDRINUSE)))
		report(to, VERDICT_FAIL, "address", "choose another --web.listen-address", "%s", err.text);
	else if (is_ours(address))
		report(to, VERDICT_OK, "address", NULL, "%s is served by a slurmscope", address);
	else
		report(to, VERDICT_WARN, "address", "if it is another program, choose another --web.listen-address",
		       "another program uses %s, or a slurmscope behind TLS or a password", address);
	listen_close(&listeners);
}

static void examine_sandbox(const struct config *config, struct report *to)
{
	struct sandbox sandbox;
	sandbox_look(config, &sandbox);
	const struct error *why = !sandbox.has_calls	  ? &sandbox.no_calls
				  : !sandbox.landlock_abi ? &sandbox.no_writes
							  : NULL;
	if (!sandbox.is_wanted)
		report(to, VERDICT_OK, "sandbox", NULL, "off, as configured");
	else if (!why)
		report(to, VERDICT_OK, "sandbox", NULL, "the kernel supports all of it: seccomp and Landlock (ABI %d)",
		       sandbox.landlock_abi);
	else if (config->sandbox == SANDBOX_ON)
		report(to, VERDICT_FAIL, "sandbox", "use --sandbox=auto to start without that part",
		       "slurmscope will not start: --sandbox=on needs what the kernel does not have: %s", why->text);
	else
		report(to, VERDICT_WARN, "sandbox",
		       "Landlock needs Linux 5.13 or later, with landlock in the kernel's lsm=; a container runtime may block it",
		       "slurmscope runs with only a part of the sandbox: %s", why->text);
}

void examine_here(const struct config *config, struct report *to)
{
	examine_user(to);
	examine_sandbox(config, to);
	if (config->systemd_socket)
		report(to, VERDICT_OK, "address", NULL, "systemd opens the sockets: the .socket unit says where");
	for (size_t i = 0; !config->systemd_socket && i < config->listen_addresses.count; i++)
		examine_address(config->listen_addresses.values[i], to);
}

void examine_state(struct patient *patient)
{
	const char *path = patient->config->state_path;
	struct error err;
	if (!path)
		report(patient->report, VERDICT_WARN, "state", "set --state.path to a file",
		       "there is no state file: at each start counters of job events begin at 0, and events while slurmscope was down are lost");
	else if (store_check(path, &err) && !store_is_free(path, &err))
		report(patient->report, VERDICT_OK, "state", NULL, "%s", err.text);
	else if (store_check(path, &err))
		report(patient->report, VERDICT_OK, "state", NULL, "%s can be written", path);
	else
		report(patient->report, VERDICT_FAIL, "state",
		       "create the folder, owned by the daemon's user (StateDirectory= in a unit)", "%s", err.text);
}
