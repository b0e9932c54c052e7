#include "page/link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

struct head {
	uint32_t kind, slot;
	double time;
	uint32_t is_good, has_descriptor;
};

union control {
	struct cmsghdr header; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int))];
};

bool link_open(int ret_sockets[2], struct error *err)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_sockets) != 0)
		return error_set(err, "socketpair: %s", strerror(errno));
	for (int i = 0; i < 2; i++)
		setsockopt(ret_sockets[i], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	return true;
}

bool link_say(int socket, const struct link_message *message)
{
	struct head head = {message->kind, message->slot, message->time, message->is_good, message->descriptor >= 0};
	struct text text = text_limit(message->text, LINK_TEXT_BYTES);
	struct iovec pieces[] = {{&head, sizeof head}, {(void *)text.bytes, text.len}};
	union control control = {.bytes = {0}};
	struct msghdr packet = {.msg_iov = pieces, .msg_iovlen = 2};
	if (message->descriptor >= 0) {
		packet.msg_control = control.bytes;
		packet.msg_controllen = sizeof control.bytes;
		*CMSG_FIRSTHDR(&packet) = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), &message->descriptor, sizeof(int));
	}
	ssize_t sent;
	do
		sent = sendmsg(socket, &packet, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)(sizeof head + text.len);
}

static int descriptor_of(struct msghdr *packet)
{
	int descriptor = -1;
	const struct cmsghdr *first = CMSG_FIRSTHDR(packet);
	if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS &&
	    first->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&descriptor, CMSG_DATA(first), sizeof descriptor);
	return descriptor;
}

void link_hear(int socket, bool takes_descriptors, char text[LINK_TEXT_BYTES], struct link_message *ret_message)
{
	struct head head;
	struct iovec pieces[] = {{&head, sizeof head}, {text, LINK_TEXT_BYTES}};
	union control control;
	struct msghdr packet = {.msg_iov = pieces,
				.msg_iovlen = 2,
				.msg_control = takes_descriptors ? control.bytes : NULL,
				.msg_controllen = takes_descriptors ? sizeof control.bytes : 0};
	ssize_t got;
	do
		got = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*ret_message = (struct link_message){.kind = got > 0 ? LINK_NONSENSE : LINK_CLOSED, .descriptor = -1};
	if (got < (ssize_t)sizeof head || (packet.msg_flags & MSG_TRUNC) || head.kind >= LINK_KINDS)
		return;
	*ret_message = (struct link_message){.kind = (enum link_kind)head.kind,
					     .slot = head.slot,
					     .is_good = head.is_good != 0,
					     .time = head.time,
					     .descriptor = takes_descriptors ? descriptor_of(&packet) : -1,
					     .text = {text, (size_t)got - sizeof head}};
}
