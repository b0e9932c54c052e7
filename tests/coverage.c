/* For a build that counts its lines (preset coverage): the sandbox lets slurmscope write to the build's folder, too.
 * There gcov's runtime leaves the counts when the daemon ends. */
#include "sandbox/sandbox_writes.h"

#include <fcntl.h>
#include <unistd.h>

int __real_sandbox_writes_begin(int abi, struct error *err);
int __wrap_sandbox_writes_begin(int abi, struct error *err);

int __wrap_sandbox_writes_begin(int abi, struct error *err)
{
	int rules = __real_sandbox_writes_begin(abi, err),
	    folder = open(COVERAGE_FOLDER, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rules >= 0 && folder >= 0)
		sandbox_writes_allow(rules, abi, folder);
	close(folder);
	return rules;
}
