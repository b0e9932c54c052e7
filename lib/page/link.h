/* Messages between the process that polls and the one that serves: a socket pair of packets (SOCK_SEQPACKET), each of
 * one kind, with a descriptor perhaps. A process that receives something else stops reading from the link. */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

enum link_kind {
	LINK_CLOSED, /* nothing can be heard or said any more */
	LINK_NONSENSE, /* what is no message */
	/* of the process that polls */
	LINK_SLOT, /* a cluster has a slot: its number, and the cluster's name in ?cluster= if it is named */
	LINK_PAGE, /* its newest page, as a descriptor (image.h) */
	LINK_SLOT_IS_GONE,
	LINK_LABELS, /* of the process's own samples */
	LINK_RELOADED, /* when; is it in force, and why not */
	LINK_RELOAD_VERDICT, /* to LINK_RELOAD: is it right, and why not */
	LINK_WEB_FILES, /* as a descriptor (web_files.h) */
	LINK_LIVES, /* it polls; said again and again */
	/* of the process that serves */
	LINK_SERVES, /* it has begun */
	LINK_TOOK_PAGE, /* the slot's newest page */
	LINK_RELOAD, /* a client asks for it */
	LINK_KINDS
};

enum { LINK_TEXT_BYTES = 16 * 1024 };

struct link_message {
	enum link_kind kind;
	uint32_t slot; /* or the number of the request to reload */
	bool is_good; /* is named; is in force; is right */
	double time;
	int descriptor; /* -1: none; sent: borrowed; heard: the caller's */
	struct text text; /* heard: in the caller's memory */
};

/* A pair of sockets; false: there are none. */
bool link_open(int ret_sockets[2], struct error *err);

/* Waits until there is room, half a minute at most. False: the link has ended, or the other side does not hear. */
bool link_say(int socket, const struct link_message *message);

/* Waits for a message. Its text is copied to `text`. A caller that takes no descriptors gets none. */
void link_hear(int socket, bool takes_descriptors, char text[LINK_TEXT_BYTES], struct link_message *ret_message);
