#include "store/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOLDER_BYTES = 160 };

static void write_holder(int file)
{
	char holder[HOLDER_BYTES], host[HOLDER_BYTES / 2] = "?";
	gethostname(host, sizeof host - 1);
	int len = snprintf(holder, sizeof holder, "%s, process %ld\n", host, (long)getpid());
	if (ftruncate(file, 0) == 0) /* only people read it: the lock counts, so a failure does not matter */
		(void)!pwrite(file, holder, (size_t)len, 0);
}

static void say_holder(const char *path, int file, struct error *err)
{
	char holder[HOLDER_BYTES];
	ssize_t len = pread(file, holder, HOLDER_BYTES - 1, 0);
	holder[len > 0 ? len : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	error_set(err, "%s: another process has it (%s)", path, *holder ? holder : "it does not say which");
}

/* If root makes the lockfile, this gives it to the owner of the state file, because the daemon has to open it, too. */
static void give_to_owner(int file, const char *path)
{
	struct stat state;
	if (stat(path, &state) == 0)
		(void)!fchown(file, state.st_uid, state.st_gid);
}

enum lease lease_take(const char *path, int *ret_file, struct error *err)
{
	char name[PATH_MAX + 16];
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	*ret_file = -1;
	snprintf(name, sizeof name, "%s.lock", path);
	int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0) {
		error_set(err, "%s: %s", name, strerror(errno));
		return LEASE_TROUBLE;
	}
	if (fcntl(file, F_OFD_SETLK, &all) == 0) {
		give_to_owner(file, path);
		write_holder(file);
		*ret_file = file;
		return LEASE_OURS;
	}
	int why = errno;
	bool is_others = why == EAGAIN || why == EACCES;
	if (is_others)
		say_holder(path, file, err);
	else
		error_set(err, "%s: slurmscope cannot lock it: %s", name, strerror(why));
	close(file);
	return is_others ? LEASE_OTHERS : LEASE_TROUBLE;
}

bool lease_is_free(const char *path, struct error *err)
{
	char name[PATH_MAX + 16];
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	snprintf(name, sizeof name, "%s.lock", path);
	int file = open(name, O_RDONLY | O_CLOEXEC);
	bool is_free = file < 0 || fcntl(file, F_OFD_GETLK, &all) != 0 || all.l_type == F_UNLCK;
	if (!is_free)
		say_holder(path, file, err);
	lease_release(file);
	return is_free;
}

void lease_release(int file)
{
	if (file >= 0)
		close(file);
}
