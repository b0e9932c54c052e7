#include "config/exposure.h"

#include "base/log.h"
#include "base/loopback.h"

#include <strings.h>

enum exposure exposure_of_token(const struct config *config)
{
	bool has_token = config->token_file || config->jwt_key_file;
	if (!has_token || strncasecmp(config->slurmrestd_url, "http://", strlen("http://")) != 0)
		return EXPOSURE_NONE;
	bool is_here = is_loopback_url(config->slurmrestd_url) && (!config->proxy || is_loopback_url(config->proxy));
	return is_here ? EXPOSURE_MACHINE : EXPOSURE_NETWORK;
}

static bool is_for_others(const char *address)
{
	return strncmp(address, "unix:", strlen("unix:")) != 0 && !is_loopback_address(address);
}

bool exposure_of_key(const struct config *config)
{
	size_t others = 0;
	for (size_t i = 0; !config->systemd_socket && i < config->listen_addresses.count; i++)
		others += is_for_others(config->listen_addresses.values[i]);
	return config->jwt_key_file && others && !config->once;
}

void exposure_log(const struct config *config)
{
	enum exposure exposure = exposure_of_token(config);
	if (exposure == EXPOSURE_NETWORK)
		log_line(LOG_LEVEL_WARN,
			 "the token goes over the network in clear: anyone who reads it there can act as its user; use "
			 "https:// or unix:/path",
			 "url", config->slurmrestd_url, NULL);
	else if (exposure == EXPOSURE_MACHINE)
		log_line(LOG_LEVEL_INFO,
			 "while slurmrestd does not run, any user of this machine can answer in its place, and get the "
			 "token; unix:/path prevents that",
			 "url", config->slurmrestd_url, NULL);
	if (exposure_of_key(config))
		log_line(LOG_LEVEL_WARN,
			 "slurmscope can read the key that signs tokens for everybody, and listens for other machines; "
			 "use slurmrestd.token-file, or a web.listen-address of this machine",
			 "file", config->jwt_key_file, NULL);
}
