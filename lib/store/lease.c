#include "store/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOLDER_BYTES = 160 };

static void write_holder(int file)
{
	char holder[HOLDER_BYTES], host[HOLDER_BYTES / 2] = "?";
	gethostname(host, sizeof host - 1);
	int len = snprintf(holder, sizeof holder, "%s, process %ld\n", host, (long)getpid());
	if (ftruncate(file, 0) == 0) /* it is only for people */
		(void)!pwrite(file, holder, (size_t)len, 0);
}

static void read_holder(int file, char holder[HOLDER_BYTES])
{
	ssize_t len = pread(file, holder, HOLDER_BYTES - 1, 0);
	holder[len > 0 ? len : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
}

enum lease lease_take(const char *path, int *ret_file, struct error *err)
{
	char name[PATH_MAX + 16], holder[HOLDER_BYTES];
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	*ret_file = -1;
	snprintf(name, sizeof name, "%s.lock", path);
	int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0) {
		error_set(err, "%s: %s", name, strerror(errno));
		return LEASE_TROUBLE;
	}
	if (fcntl(file, F_OFD_SETLK, &all) == 0) {
		write_holder(file);
		*ret_file = file;
		return LEASE_OURS;
	}
	int why = errno;
	bool is_others = why == EAGAIN || why == EACCES;
	read_holder(file, holder);
	if (is_others)
		error_set(err, "%s: another process has it (%s)", path, *holder ? holder : "it does not say which");
	else
		error_set(err, "%s: cannot be locked: %s", name, strerror(why));
	close(file);
	return is_others ? LEASE_OTHERS : LEASE_TROUBLE;
}

void lease_release(int file)
{
	if (file >= 0)
		close(file);
}
