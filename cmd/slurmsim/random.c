#include "slurmsim/random.h"

#include <math.h>

uint32_t random_poisson(struct random *random, double mean)
{
	if (mean > 30) { /* near enough, and never slow */
		double spread = random_unit(random) + random_unit(random) + random_unit(random) - 1.5;
		double number = mean + 2 * spread * sqrt(mean);
		return number > 0 ? (uint32_t)(number + 0.5) : 0;
	}
	uint32_t number = 0;
	for (double left = exp(-mean), product = random_unit(random); product > left; number++)
		product *= random_unit(random);
	return number;
}
