/* The key of names' hashes. Doctor itself reads names as they are: who runs it has the token. */
#include "doctor/examinations.h"

void examine_names(struct patient *patient)
{
	const struct config *config = patient->config;
	struct name_hash *hash;
	struct error err;
	if (!config->hash_key_file)
		return;
	if (!config_name_hash(config, &hash, &err))
		report(patient->report, VERDICT_FAIL, "names",
		       "make one: openssl rand -out FILE 32; the daemon's user must be able to read it", "%s",
		       err.text);
	else if (name_hash_key_is_open(hash))
		report(patient->report, VERDICT_WARN, "names", "run chmod o= on it",
		       "%s: others may read or write the key", config->hash_key_file);
	else
		report(patient->report, VERDICT_OK, "names", NULL, "they are hashed with %s", config->hash_key_file);
	name_hash_free(hash);
}
