#include "sandbox/sandbox.h"

#include "config/setup.h"
#include "sandbox/sandbox_calls.h"
#include "sandbox/sandbox_writes.h"
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1L
#endif

static_assert((int)CLUSTERS_MAX <= (int)SANDBOX_FOLDERS_MAX, "folders of state files");

void sandbox_look(const struct config *process, struct sandbox *sandbox)
{
	*sandbox = (struct sandbox){.is_wanted = process->sandbox != SANDBOX_OFF};
	if (!sandbox->is_wanted)
		return;
	sandbox->has_calls = sandbox_calls_offered(&sandbox->no_calls);
	sandbox->landlock_abi = sandbox_writes_abi(&sandbox->no_writes);
}

static bool is_of(const struct sandbox *sandbox, const struct stat *folder)
{
	for (size_t i = 0; i < sandbox->folder_count; i++)
		if (folder->st_dev == sandbox->folders[i].device && folder->st_ino == sandbox->folders[i].inode)
			return true;
	return false;
}

/* Those of the state files, or the nearest above where there is none yet: it may be made later. */
static bool add_folder(struct sandbox *sandbox, const char *state_path, int ruleset, struct error *err)
{
	struct stat status;
	char *path = store_folder(state_path);
	int file = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	bool is_added =
		file >= 0 && fstat(file, &status) == 0 && sandbox_writes_allow(ruleset, sandbox->landlock_abi, file);
	if (is_added && is_of(sandbox, &status))
		free(path);
	else if (is_added)
		sandbox->folders[sandbox->folder_count++] = (struct sandbox_folder){path, status.st_dev, status.st_ino};
	else
		error_set(err, "Landlock: folder of %s: %s", state_path, strerror(errno)), free(path);
	if (file >= 0)
		close(file);
	return is_added;
}

static bool restrict_writes(struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err)
{
	int ruleset = sandbox_writes_begin(sandbox->landlock_abi, err);
	bool is_held = ruleset >= 0;
	for (size_t i = 0; is_held && i < count; i++)
		is_held = !clusters[i].state_path || add_folder(sandbox, clusters[i].state_path, ruleset, err);
	is_held = is_held && sandbox_writes_restrict(ruleset, err);
	if (ruleset >= 0)
		close(ruleset);
	return is_held;
}

/* Or not all of it was asked for. */
static bool is_enough(const struct sandbox *sandbox, const struct config *process, struct error *err)
{
	if (process->sandbox != SANDBOX_ON || (sandbox->has_calls && sandbox->landlock_abi))
		return true;
	return error_set(err, "--sandbox=on: the kernel does not offer all of it: %s",
			 sandbox->has_calls ? sandbox->no_writes.text : sandbox->no_calls.text);
}

bool sandbox_enter(struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err)
{
	sandbox_look(clusters, sandbox);
	if (!sandbox->is_wanted)
		return true;
	prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L); /* else the kernel refuses the rest, and says so */
	prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0L, 0L, 0L); /* as MemoryDenyWriteExecute=; Linux 6.3 */
	if (sandbox->landlock_abi && !restrict_writes(sandbox, clusters, count, &sandbox->no_writes))
		sandbox->landlock_abi = 0;
	sandbox->has_calls = sandbox->has_calls && sandbox_calls_refuse(&sandbox->no_calls);
	return is_enough(sandbox, clusters, err);
}

bool sandbox_enter_poller(struct sandbox *sandbox, const struct config *process, struct error *err)
{
	if (!sandbox->is_wanted)
		return true;
	sandbox->has_calls = sandbox->has_calls && sandbox_calls_of_poller(&sandbox->no_calls);
	return is_enough(sandbox, process, err);
}

bool sandbox_enter_server(struct sandbox *sandbox, const struct config *process, struct error *err)
{
	if (!sandbox->is_wanted)
		return true;
	if (sandbox->landlock_abi && !sandbox_writes_of_server(sandbox->landlock_abi, &sandbox->no_writes))
		sandbox->landlock_abi = 0;
	sandbox->has_calls = sandbox->has_calls && sandbox_calls_of_server(&sandbox->no_calls);
	return is_enough(sandbox, process, err);
}

/* As the kernel looks at it: a folder that was removed and made again is another one. */
static bool can_write_state(const struct sandbox *sandbox, const struct config *cluster, struct error *err)
{
	if (!sandbox->landlock_abi || !cluster->state_path)
		return true;
	bool is_allowed = false;
	char *folder = store_folder(cluster->state_path), *above = folder;
	while (above) {
		struct stat status;
		is_allowed = stat(above, &status) == 0 && is_of(sandbox, &status);
		above = is_allowed || strcmp(above, "/") == 0 ? NULL : dirname(above);
	}
	free(folder);
	return is_allowed ||
	       config_wrong(cluster, "state.path", err,
			    "%s: the sandbox allows writes only to folders that had state files at the start: restart "
			    "slurmscope",
			    cluster->state_path);
}

bool sandbox_allows(const struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!can_write_state(sandbox, &clusters[i], err))
			return false;
	return true;
}

void sandbox_log(const struct sandbox *sandbox)
{
	struct buf writes = BUF_INIT;
	char landlock[sizeof sandbox->no_writes.text + 16];
	if (!sandbox->is_wanted) {
		log_line(LOG_LEVEL_INFO, "sandbox", "seccomp", "off", "landlock", "off", NULL);
		return;
	}
	for (size_t i = 0; i < sandbox->folder_count; i++)
		buf_printf(&writes, "%s%s", i ? ", " : "", sandbox->folders[i].path);
	if (sandbox->landlock_abi)
		snprintf(landlock, sizeof landlock, "ABI %d", sandbox->landlock_abi);
	else
		snprintf(landlock, sizeof landlock, "no: %s", sandbox->no_writes.text);
	bool is_whole = sandbox->has_calls && sandbox->landlock_abi;
	log_line(is_whole ? LOG_LEVEL_INFO : LOG_LEVEL_WARN, "sandbox", "seccomp", sandbox->has_calls ? "yes" : "no",
		 "landlock", landlock, "writes",
		 !sandbox->landlock_abi ? "anywhere"
		 : writes.len		? writes.bytes
					: "nowhere",
		 NULL);
	buf_done(&writes);
}

void sandbox_done(struct sandbox *sandbox)
{
	for (size_t i = 0; i < sandbox->folder_count; i++)
		free(sandbox->folders[i].path);
}
