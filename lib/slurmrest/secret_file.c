#include "slurmrest/secret_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 16 * 1024 };

void secret_free(char *secret, size_t len)
{
	if (secret)
		explicit_bzero(secret, len);
	free(secret);
}

char *secret_read(const char *path, size_t *ret_len, struct stat *ret_stat, struct error *err)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, ret_stat) < 0) {
		error_set(err, "%s: %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return NULL;
	}
	char *bytes = memory_new(FILE_BYTES_MAX + 1);
	size_t len = 0;
	ssize_t got = 0;
	while (len <= FILE_BYTES_MAX && (got = read(file, bytes + len, FILE_BYTES_MAX + 1 - len)) > 0)
		len += (size_t)got;
	const char *wrong = got < 0		   ? strerror(errno)
			    : !len		   ? "empty"
			    : len > FILE_BYTES_MAX ? "too large for a token or key"
						   : NULL;
	close(file);
	if (wrong) {
		error_set(err, "%s: %s", path, wrong);
		secret_free(bytes, len);
		return NULL;
	}
	bytes[len] = '\0';
	*ret_len = len;
	return bytes;
}

bool secret_is_open(const struct stat *file)
{
	return file->st_mode & (S_IROTH | S_IWOTH);
}
