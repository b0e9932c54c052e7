/* Ends the process with a message: what cannot be run at all is told at the start. */
#pragma once

_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
