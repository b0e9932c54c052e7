#include "plan/demand.h"

#include <math.h>
#include <stdbool.h>

void demands_divide(struct demand *demands, size_t count, double available)
{
	double weights = 0;
	for (size_t i = 0; i < count; i++) {
		demands[i].granted = -1; /* not yet */
		weights += demands[i].weight;
	}
	available = fmax(available, 0);
	bool is_settled = false;
	while (!is_settled) {
		is_settled = true;
		double per_weight = weights > 0 ? available / weights : 0;
		for (size_t i = 0; i < count; i++) {
			struct demand *demand = &demands[i];
			if (demand->granted >= 0 || demand->asked > demand->weight * per_weight)
				continue;
			demand->granted = demand->asked;
			available = fmax(available - demand->asked, 0);
			weights -= demand->weight;
			is_settled = false;
			break;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (demands[i].granted < 0)
			demands[i].granted = available * demands[i].weight / weights;
}
