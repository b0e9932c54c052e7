/* Ends the process with a message. For options that cannot work, found at the start. */
#pragma once

_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
