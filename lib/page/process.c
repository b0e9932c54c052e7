#include "page/process.h"

#include "model/number.h"

#include <fcntl.h>
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

/* In seconds since the machine's start: field 22 of proc(5)'s stat. Below 0: it cannot be read. */
static double started_after_boot(void)
{
	char line[1024];
	uint64_t ticks;
	FILE *file = fopen("/proc/self/stat", "re");
	if (!file)
		return -1;
	size_t len = fread(line, 1, sizeof line - 1, file);
	fclose(file);
	line[len] = '\0';
	const char *after_name = strrchr(line, ')');
	bool is_read = after_name && sscanf(after_name + 1,
					    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
					    "%*d %" SCNu64,
					    &ticks) == 1;
	return is_read ? (double)ticks / (double)sysconf(_SC_CLK_TCK) : -1;
}

static double start_time(void)
{
	struct timespec boot, now;
	double after_boot = started_after_boot();
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return after_boot < 0
		       ? 0
		       : (double)(now.tv_sec - boot.tv_sec) + (double)(now.tv_nsec - boot.tv_nsec) * 1e-9 + after_boot;
}

void process_open(struct process_source *ret_source)
{
	*ret_source = (struct process_source){.memory = {open("/proc/self/statm", O_RDONLY | O_CLOEXEC), -1},
					      .descriptors = opendir("/proc/self/fd"),
					      .start_time = start_time()};
}

void process_open_child(struct process_source *ret_source, const struct process_source *parent)
{
	process_open(ret_source);
	ret_source->memory[1] = dup(parent->memory[0]);
	ret_source->other = getppid();
	ret_source->start_time = parent->start_time;
}

void process_close(struct process_source *source)
{
	for (int i = 0; i < PROCESSES_MAX; i++)
		if (source->memory[i] >= 0)
			close(source->memory[i]);
	if (source->descriptors)
		closedir(source->descriptors);
}

static uint64_t open_fds(const struct process_source *source)
{
	uint64_t count = 0;
	if (!source->descriptors)
		return NUMBER_UNSET;
	rewinddir(source->descriptors);
	for (const struct dirent *entry; (entry = readdir(source->descriptors));)
		count += entry->d_name[0] != '.';
	return count;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double cpu_seconds(const struct process_source *source)
{
	struct rusage usage;
	struct timespec other = {0, 0};
	clockid_t clock;
	getrusage(RUSAGE_SELF, &usage);
	if (source->other && clock_getcpuclockid(source->other, &clock) == 0)
		clock_gettime(clock, &other);
	return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) + (double)other.tv_sec +
	       (double)other.tv_nsec * 1e-9;
}

/* Pages of virtual size, resident, and of those the ones that may be of others too: files, shared memory. */
struct memory {
	uint64_t virtual, resident, shared;
};

static bool read_memory(int statm, struct memory *ret_memory)
{
	char line[128];
	ssize_t len = statm >= 0 ? pread(statm, line, sizeof line - 1, 0) : -1;
	line[len > 0 ? len : 0] = '\0';
	return sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret_memory->virtual, &ret_memory->resident,
		      &ret_memory->shared) == 3;
}

static void add_memory(const struct process_source *source, struct exporter_process *process)
{
	struct memory own, other = {0, 0, 0};
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	process->virtual_bytes = process->resident_bytes = NUMBER_UNSET;
	if (!read_memory(source->memory[0], &own) || (source->other && !read_memory(source->memory[1], &other)))
		return;
	uint64_t twice = own.shared < other.shared ? own.shared : other.shared;
	process->virtual_bytes = (own.virtual + other.virtual) * page_bytes;
	process->resident_bytes = (own.resident + other.resident - twice) * page_bytes;
}

void process_read(const struct process_source *source, struct exporter_process *process)
{
	struct rlimit limit;
	process->max_fds = NUMBER_UNSET;
	process->cpu_seconds = cpu_seconds(source);
	process->open_fds = open_fds(source);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		process->max_fds = limit.rlim_cur;
	process->start_time = source->start_time;
	add_memory(source, process);
}
