/* What was built. */
#pragma once

extern const char version_number[]; /* "0.1.0" */
extern const char version_revision[]; /* of the source; empty if unknown */
extern const char version_compiler[];
