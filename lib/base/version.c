#include "base/version.h"

const char version_number[] = SLURMSCOPE_VERSION;
const char version_revision[] = SLURMSCOPE_REVISION;
#ifdef __clang__
const char version_compiler[] = "clang " __clang_version__;
#else
const char version_compiler[] = "gcc " __VERSION__;
#endif
