/* slurmscope report: who used what in a span of time. */
#pragma once

/* `argv` follows the word "report". Returns the exit status: 0, 1 where there is no report, 2 for wrong options, 3 where the
 * report lacks something, which it says. */
int report_main(int argc, char **argv);
