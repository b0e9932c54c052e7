/* Who could come by the token, or by the key that signs tokens, as this is configured. */
#pragma once

#include "config/config.h"

enum exposure {
	EXPOSURE_NONE,
	EXPOSURE_MACHINE, /* a user of this machine, while slurmrestd does not run */
	EXPOSURE_NETWORK, /* anyone who reads the network, or answers in slurmrestd's place */
};

/* Of the token, on its way to slurmrestd. */
enum exposure exposure_of_token(const struct config *config);

/* The key that signs tokens can be read by a process that other machines can send to. Sockets of systemd are not
 * known here, and count as none. */
bool exposure_of_key(const struct config *config);

/* Logs both. Those of the network are warnings. */
void exposure_log(const struct config *config);
