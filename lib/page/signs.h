/* What the process that serves lets the one that polls see of itself, all the time and without a message: memory that both
 * have. The one that polls takes these for numbers and no more. */
#pragma once

#include "web/http_server.h"

struct serving_signs {
	struct http_progress progress;
	atomic_uint_least64_t scrapes; /* answered, whatever with */
};
