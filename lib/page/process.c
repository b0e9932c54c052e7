#include "page/process.h"

#include "model/number.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void process_guard(void)
{
	const struct rlimit none = {0, 0};
	prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
	setrlimit(RLIMIT_CORE, &none);
}

static uint64_t open_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	if (!folder)
		return NUMBER_UNSET;
	uint64_t count = 0;
	for (const struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count - 1; /* less the folder itself */
}

/* Start time of the process in ticks since boot, virtual size in bytes and resident size in pages:
 * fields 22 to 24 of proc(5)'s stat. */
static bool read_stat(uint64_t *ret_start, uint64_t *ret_virtual, uint64_t *ret_resident)
{
	char line[1024];
	FILE *file = fopen("/proc/self/stat", "re");
	if (!file)
		return false;
	size_t len = fread(line, 1, sizeof line - 1, file);
	fclose(file);
	line[len] = '\0';
	const char *after_name = strrchr(line, ')');
	return after_name && sscanf(after_name + 1,
				    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
				    "%" SCNu64 " %" SCNu64 " %" SCNu64,
				    ret_start, ret_virtual, ret_resident) == 3;
}

void process_read(struct exporter_process *process)
{
	struct rusage usage;
	struct rlimit limit;
	struct timespec boot, now;
	uint64_t start, virtual_bytes, resident_pages;
	process->max_fds = process->virtual_bytes = process->resident_bytes = NUMBER_UNSET;
	getrusage(RUSAGE_SELF, &usage);
	process->cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	process->open_fds = open_fds();
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		process->max_fds = limit.rlim_cur;
	if (!read_stat(&start, &virtual_bytes, &resident_pages))
		return;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	process->virtual_bytes = virtual_bytes;
	process->resident_bytes = resident_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	if (process->start_time == 0)
		process->start_time = (double)(now.tv_sec - boot.tv_sec) + (double)(now.tv_nsec - boot.tv_nsec) * 1e-9 +
				      (double)start / (double)sysconf(_SC_CLK_TCK);
}
