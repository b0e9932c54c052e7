/* A fuzz target without libFuzzer: gives it each file of the folders, as a test.  usage: fuzz_NAME FOLDER|FILE... */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static char current[PATH_MAX]; /* the input */

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

/* What sanitizers find ends in say_which, too. */
const char *__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1";
}

static void say_which(int signal_number)
{
	(void)signal_number;
	static const char text[] = "the input is ";
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	(void)!write(STDERR_FILENO, current, strlen(current));
	(void)!write(STDERR_FILENO, "\n", 1);
}

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

/* In memory of exactly its size, so that AddressSanitizer sees who reads on. */
static void replay(const char *path, size_t size)
{
	snprintf(current, sizeof current, "%s", path);
	FILE *file = fopen(path, "re");
	uint8_t *bytes = malloc(size ? size : 1);
	REQUIRE(file && bytes && fread(bytes, 1, size, file) == size);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
}

static unsigned replay_all(const char *path)
{
	struct stat status;
	unsigned count = 0;
	REQUIRE(stat(path, &status) == 0);
	if (!S_ISDIR(status.st_mode)) {
		replay(path, (size_t)status.st_size);
		return 1;
	}
	DIR *folder = opendir(path);
	REQUIRE(folder);
	for (const struct dirent *entry; (entry = readdir(folder));) {
		char inner[PATH_MAX];
		snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			count += replay_all(inner);
	}
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	unsigned count = 0;
	signal(SIGABRT, say_which);
	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		count += replay_all(argv[i]);
	printf("%u inputs\n", count);
	return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
