/* What the fuzz targets share. A target is one file: it gives LLVMFuzzerTestOneInput any bytes at all, and says by REQUIRE
 * what holds whatever they are. With libFuzzer it searches for bytes for which that is not so; linked with replay.c it is a
 * test over the inputs that are kept. */
#pragma once

#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* some targets have it: it is called once, before all inputs */

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                 \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

/* An input that is taken piece by piece; at its end pieces are empty, or 0. */
struct input {
	const uint8_t *at, *end;
};

static inline struct input input_of(const uint8_t *data, size_t size)
{
	return (struct input){data, data + size};
}

static inline uint8_t input_byte(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

/* Up to the next byte 0xff, which no UTF-8 has. Of other bytes none is special, so that a change of one piece leaves the
 * others as they are. */
static inline struct text input_text(struct input *input)
{
	struct text text = {(const char *)input->at, 0};
	while (input->at < input->end && *input->at != 0xff) {
		input->at++;
		text.len++;
	}
	input->at += input->at < input->end;
	return text;
}

static inline struct text input_rest(struct input *input)
{
	struct text text = {(const char *)input->at, (size_t)(input->end - input->at)};
	input->at = input->end;
	return text;
}

/* A decimal number, or 0; one that is too large is the largest. */
static inline int64_t input_number(struct input *input)
{
	char digits[32];
	text_to_string(input_text(input), digits, sizeof digits);
	return strtoll(digits, NULL, 10);
}

/* A file in memory that holds the bytes, for what reads paths; its path is written to `path`. Close it by close(). */
static inline int fuzz_file(struct text bytes, char path[64])
{
	int file = memfd_create("fuzz", MFD_CLOEXEC);
	REQUIRE(file >= 0);
	while (bytes.len) {
		ssize_t written = write(file, bytes.bytes, bytes.len);
		REQUIRE(written > 0);
		bytes = (struct text){bytes.bytes + written, bytes.len - (size_t)written};
	}
	snprintf(path, 64, "/proc/self/fd/%d", file);
	return file;
}
