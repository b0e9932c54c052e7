#include "metrics/samples.h"

#include <stdlib.h>

const char *const family_type_names[] = {[GAUGE] = "gauge", [COUNTER] = "counter", [HISTOGRAM] = "histogram"};

void samples_done(struct samples *samples)
{
	buf_done(&samples->text);
	free(samples->families);
	free(samples->exemplars);
	free(samples->natives);
	free(samples->native_buckets);
	*samples = (struct samples){.text = BUF_INIT};
}
