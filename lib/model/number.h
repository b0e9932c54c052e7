/* Numbers as Slurm gives them: known, not known, or unlimited. All members of the records that may be
 * either are uint64_t in base units (bytes, seconds). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NUMBER_UNSET (UINT64_MAX - 1) /* not known, no limit set: no sample on the page */
#define NUMBER_INFINITE UINT64_MAX /* unlimited: no sample either */

static inline bool number_is_known(uint64_t number)
{
	return number < NUMBER_UNSET;
}
