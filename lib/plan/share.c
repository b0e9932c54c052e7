#include "plan/share.h"

#include <math.h>
#include <stdbool.h>

void share_divide(struct share *shares, size_t count, double available)
{
	double weights = 0;
	for (size_t i = 0; i < count; i++) {
		shares[i].granted = -1; /* not yet */
		weights += shares[i].weight;
	}
	available = fmax(available, 0);
	bool is_settled = false;
	while (!is_settled) {
		is_settled = true;
		double per_weight = weights > 0 ? available / weights : 0;
		for (size_t i = 0; i < count; i++) {
			struct share *share = &shares[i];
			if (share->granted >= 0 || share->asked > share->weight * per_weight)
				continue;
			share->granted = share->asked;
			available = fmax(available - share->asked, 0);
			weights -= share->weight;
			is_settled = false;
			break;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (shares[i].granted < 0)
			shares[i].granted = available * shares[i].weight / weights;
}
