#include "slurmscope/split.h"

#include "base/log.h"
#include "page/link.h"
#include "slurmscope/polling.h"
#include "slurmscope/serving.h"
#include "web/listen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A slurmscope that was killed leaves its address in use until the kernel has ended both its processes. A supervisor may
 * start the next one at once. */
enum { ADDRESS_BYTES = 160, ADDRESS_PATIENCE_MS = 5000 };

/* What both have, and one of them uses. */
struct whole {
	struct setup *setup;
	struct listeners listeners;
	char addresses[LISTENERS_MAX][ADDRESS_BYTES];
	struct web_files web_files;
	struct process_source source;
	struct serving_signs *signs;
	struct sandbox sandbox; /* of both so far */
	int link[2];
};

/* Also those that were opened before one that cannot be: the process ends then. */
static bool listen_all(const struct config *config, struct listeners *listeners, struct error *err)
{
	if (config->systemd_socket)
		return listen_inherit(listeners, err);
	for (size_t i = 0; i < config->listen_addresses.count; i++)
		if (!listen_open(listeners, config->listen_addresses.values[i], ADDRESS_PATIENCE_MS, err))
			return false;
	return true;
}

static bool open_all(struct whole *whole, struct error *err)
{
	const struct config *config = &whole->setup->process;
	if (!listen_all(config, &whole->listeners, err) || !link_open(whole->link, err))
		return false;
	for (unsigned i = 0; i < whole->listeners.count; i++)
		listen_name(whole->listeners.sockets[i], whole->addresses[i], ADDRESS_BYTES);
	if (config->web_config_file)
		web_files_read(config->web_config_file, &whole->web_files);
	whole->signs = mmap(NULL, sizeof *whole->signs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (whole->signs == MAP_FAILED)
		return error_set(err, "memory to share: %s", strerror(errno));
	bool is_entered = sandbox_enter(&whole->sandbox, whole->setup->clusters, whole->setup->cluster_count, err);
	sandbox_log(&whole->sandbox);
	return is_entered;
}

/* The kernel ends this process when its parent does, however that comes about. */
static int run_child(struct whole *whole, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0L, 0L, 0L);
	if (getppid() != parent) /* it ended before that */
		return EXIT_FAILURE;
	prctl(PR_SET_NAME, "slurmscope-web", 0L, 0L, 0L); /* in lists of processes */
	close(whole->link[0]);
	return serving_run(&(struct serving){.setup = whole->setup,
					     .link = whole->link[1],
					     .signs = whole->signs,
					     .parent = &whole->source,
					     .sandbox = &whole->sandbox,
					     .listeners = &whole->listeners,
					     .web_files = &whole->web_files});
}

static int run_parent(struct whole *whole, pid_t child)
{
	const char *addresses[LISTENERS_MAX + 1] = {NULL};
	for (unsigned i = 0; i < whole->listeners.count; i++)
		addresses[i] = whole->addresses[i];
	close(whole->link[1]);
	listen_close(&whole->listeners);
	return polling_run(&(struct polling){.setup = whole->setup,
					     .link = whole->link[0],
					     .server = child,
					     .signs = whole->signs,
					     .sandbox = &whole->sandbox,
					     .web_files = &whole->web_files,
					     .addresses = addresses});
}

static int run_both(struct whole *whole, struct error *err)
{
	pid_t parent = getpid();
	process_open(&whole->source);
	if (whole->source.descriptors) /* the folder of ours is nothing for the child */
		closedir(whole->source.descriptors);
	whole->source.descriptors = NULL;
	pid_t child = fork();
	if (child < 0)
		error_set(err, "fork: %s", strerror(errno));
	int status = child < 0 ? EXIT_FAILURE : child ? run_parent(whole, child) : run_child(whole, parent);
	process_close(&whole->source);
	return status;
}

/* In every thread of both: one takes them by a descriptor, the other one not at all. */
static void block_signals(void)
{
	sigset_t signals;
	polling_signals(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

int split_and_run(struct setup *setup)
{
	struct error err = {""};
	struct whole whole = {.setup = setup};
	block_signals();
	int status = open_all(&whole, &err) ? run_both(&whole, &err) : EXIT_FAILURE;
	if (*err.text)
		log_line(LOG_LEVEL_ERROR, err.text, NULL);
	web_files_done(&whole.web_files);
	sandbox_done(&whole.sandbox);
	return status;
}
