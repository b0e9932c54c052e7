#include "page/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

size_t sealed_aligned(size_t at)
{
	return (at + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* Kernels before 6.3 do not know memory files that can never be executed. */
static int open_memory(void)
{
	int memory = memfd_create("slurmscope", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	return memory >= 0 || errno != EINVAL ? memory : memfd_create("slurmscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static bool write_piece(int memory, size_t at, struct text piece)
{
	while (piece.len) {
		ssize_t written = pwrite(memory, piece.bytes, piece.len, (off_t)at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += (size_t)written;
		piece.bytes += written;
		piece.len -= (size_t)written;
	}
	return true;
}

int sealed_new(const struct text *pieces, size_t count, struct error *err)
{
	int memory = open_memory();
	bool is_written = memory >= 0;
	for (size_t i = 0, at = 0; is_written && i < count; at = sealed_aligned(at + pieces[i].len), i++)
		is_written = write_piece(memory, at, pieces[i]);
	if (is_written && fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
		return memory;
	error_set(err, "memory to share: %s", strerror(errno));
	if (memory >= 0)
		close(memory);
	return -1;
}

/* A private mapping: kernels before 6.7 refuse a shared one of sealed memory, also to read. */
struct text sealed_map(int descriptor, struct error *err)
{
	off_t len = lseek(descriptor, 0, SEEK_END);
	void *memory = len > 0 ? mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
	if (memory != MAP_FAILED)
		return (struct text){memory, (size_t)len};
	error_set(err, "shared memory: %s", len ? strerror(errno) : "empty");
	return (struct text){NULL, 0};
}
