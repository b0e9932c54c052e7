/* Numbers in words, for people: short, rounded, with their unit. */
#pragma once

#include <stdint.h>

struct words {
	char text[40];
};

struct words words_number(uint64_t number); /* "1,234,567" */
struct words words_count(uint64_t number, const char *noun); /* "1 job", "1,234 jobs" */
struct words words_seconds(double seconds); /* "12 ms", "1.5 s", "42 s", "7 min", "3 h", "4 d" */
struct words words_bytes(double bytes); /* "512 B", "1.5 GiB" */
struct words words_share(double share); /* "0.31 %", "62 %" */
struct words words_time(double unix_seconds); /* "2026-11-22 07:10:14 UTC" */
