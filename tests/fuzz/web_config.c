/* The web configuration: any file is read, or is an error that says why. Each header that would be sent is one that cannot
 * break an answer. */
#include "web/web_config.h"

#include "fuzz.h"

static bool is_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' && *text != '\t')
			return false;
	return true;
}

/* Each has somebody, sees something, and has nobody of another tenant. */
static void check_tenant(const struct web_config *config, const struct web_tenant *tenant)
{
	unsigned who = 0, sees = tenant->sees_everything;
	for (int kind = 0; kind < TENANT_NAMES; kind++) {
		const struct web_names *names = &tenant->names[kind];
		REQUIRE(names->count <= TENANT_NAMES_MAX);
		*(kind < (int)TENANT_WHO ? &who : &sees) += kind == TENANT_SEES_CLUSTERS ? 0 : names->count;
		for (unsigned i = 0; kind < (int)TENANT_WHO && i < names->count; i++)
			REQUIRE(tenants_find(&config->tenants, (enum tenant_names)kind, text_of(names->names[i])) ==
				tenant);
	}
	REQUIRE(who && sees);
}

static void check(const struct web_config *config)
{
	struct web_bucket bucket = {.is_used = false};
	REQUIRE(config->header_count <= WEB_HEADERS_MAX && config->user_count <= WEB_USERS_MAX);
	for (unsigned i = 0; i < config->header_count; i++)
		REQUIRE(is_text(config->headers[i].name) && is_text(config->headers[i].value));
	for (unsigned i = 0; i < config->user_count; i++)
		REQUIRE(strlen(config->users[i].hash) == PASSWORD_HASH_BYTES);
	REQUIRE(config->tenants.count <= TENANTS_MAX);
	for (unsigned i = 0; i < config->tenants.count; i++)
		check_tenant(config, &config->tenants.items[i]);
	web_bucket_take(&bucket, &config->rate, 1);
	web_bucket_take(&bucket, &config->rate, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {""};
	struct web_files files;
	char path[64];
	int descriptor = fuzz_file((struct text){(const char *)data, size}, path);
	web_files_read(path, &files);
	struct web_config *config = web_config_read(&files, &err);
	REQUIRE(config || *err.text);
	REQUIRE(files.count >= 1 && files.count <= WEB_FILES_MAX);
	if (config)
		check(config);
	web_config_free(config);
	web_files_done(&files);
	close(descriptor);
	return 0;
}
