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

static void check(const struct web_config *config)
{
	struct web_bucket bucket = {.is_used = false};
	REQUIRE(config->header_count <= WEB_HEADERS_MAX && config->user_count <= WEB_USERS_MAX);
	for (unsigned i = 0; i < config->header_count; i++)
		REQUIRE(is_text(config->headers[i].name) && is_text(config->headers[i].value));
	for (unsigned i = 0; i < config->user_count; i++)
		REQUIRE(strlen(config->users[i].hash) == PASSWORD_HASH_BYTES);
	web_bucket_take(&bucket, config, 1);
	web_bucket_take(&bucket, config, UINT64_MAX);
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
