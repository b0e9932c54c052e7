/* A user as slurmdbd has it. Texts are borrowed. */
#pragma once

#include "base/text.h"

/* What a user may do beyond what all users may. PrivateData hides nothing from operators and above. */
enum admin_level { ADMIN_NOT_KNOWN, ADMIN_NONE, ADMIN_OPERATOR, ADMIN_ADMINISTRATOR };

struct user {
	struct text name;
	enum admin_level level;
};
