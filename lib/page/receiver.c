#include "page/receiver.h"

#include "base/log.h"
#include "base/memory.h"
#include "page/image.h"
#include "page/link.h"
#include "page/sealed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { VERDICT_WITHIN_S = 10 };

struct received_slot {
	uint32_t number;
	struct page_slot slot;
	struct received_slot *next;
};

struct receiver {
	int socket;
	struct page_board *board;
	struct http_server *server;
	struct received_slot *slots;
	struct arena names; /* of clusters, also of those that are gone: a scrape under way may still compare them */
	struct buf labels;
	char text[LINK_TEXT_BYTES];
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t judged;
	uint32_t asked; /* how often the server's thread has asked to reload */
	bool is_judged, is_right; /* what it asked last */
	struct error why;
};

struct receiver *receiver_new(int socket, struct page_board *board)
{
	struct receiver *receiver = NEW(struct receiver);
	receiver->socket = socket;
	receiver->board = board;
	pthread_mutex_init(&receiver->lock, NULL);
	pthread_cond_init(&receiver->judged, NULL);
	return receiver;
}

static void remove_slot(struct received_slot **at)
{
	struct received_slot *slot = *at;
	if (!slot)
		return;
	*at = slot->next;
	page_slot_done(&slot->slot);
	free(slot);
}

void receiver_free(struct receiver *receiver)
{
	while (receiver->slots)
		remove_slot(&receiver->slots);
	pthread_cond_destroy(&receiver->judged);
	pthread_mutex_destroy(&receiver->lock);
	arena_done(&receiver->names);
	buf_done(&receiver->labels);
	free(receiver);
}

static struct received_slot **find(struct receiver *receiver, uint32_t number)
{
	struct received_slot **at = &receiver->slots;
	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

static void add_slot(struct receiver *receiver, const struct link_message *message)
{
	struct received_slot *slot = NEW(struct received_slot), **end = find(receiver, message->slot);
	const char *name = message->is_good ? arena_copy(&receiver->names, message->text).bytes : NULL;
	slot->number = message->slot;
	page_slot_init(&slot->slot, receiver->board, name);
	*end = slot;
}

/* One that cannot be had is said, and the next one comes soon. */
static void take_page(struct receiver *receiver, const struct link_message *message)
{
	struct error err;
	struct page *page = page_image_open(message->descriptor, &err);
	struct received_slot *slot = *find(receiver, message->slot);
	if (!page)
		log_line(LOG_LEVEL_ERROR, "the process that serves cannot take a page", "error", err.text, NULL);
	else if (slot)
		page_slot_publish(&slot->slot, page);
	else
		page_release(page);
	link_say(receiver->socket,
		 &(struct link_message){.kind = LINK_TOOK_PAGE, .slot = message->slot, .descriptor = -1});
}

static void take_labels(struct receiver *receiver, struct text labels)
{
	struct buf copy = BUF_INIT;
	buf_add_text(&copy, labels);
	page_board_label(receiver->board, buf_text(&copy));
	buf_done(&receiver->labels);
	receiver->labels = copy;
}

static void take_error(const struct link_message *message, struct error *ret_why)
{
	text_to_string(message->text, ret_why->text, sizeof ret_why->text);
}

static void take_reloaded(struct receiver *receiver, const struct link_message *message)
{
	struct error why;
	take_error(message, &why);
	page_board_note_reload(receiver->board, message->is_good ? NULL : &why, message->time);
}

static void take_verdict(struct receiver *receiver, const struct link_message *message)
{
	pthread_mutex_lock(&receiver->lock);
	receiver->is_judged = message->slot == receiver->asked; /* else nobody waits for it any more */
	receiver->is_right = message->is_good;
	take_error(message, &receiver->why);
	pthread_cond_signal(&receiver->judged);
	pthread_mutex_unlock(&receiver->lock);
}

static void take_web_files(struct receiver *receiver, int descriptor)
{
	struct error err = {"not what it should be"};
	struct web_files files = {.count = 0};
	struct text bytes = sealed_map(descriptor, &err);
	bool is_taken = bytes.len && web_files_parse(bytes, &files);
	if (bytes.len)
		munmap((void *)bytes.bytes, bytes.len);
	if (is_taken)
		http_server_take_files(receiver->server, &files);
	else
		log_line(LOG_LEVEL_ERROR, "the process that serves cannot take the web configuration", "error",
			 err.text, NULL);
}

/* False: it is the last one. */
static bool take(struct receiver *receiver, const struct link_message *message)
{
	switch (message->kind) {
	case LINK_SLOT:
		add_slot(receiver, message);
		break;
	case LINK_PAGE:
		take_page(receiver, message);
		break;
	case LINK_SLOT_IS_GONE:
		remove_slot(find(receiver, message->slot));
		break;
	case LINK_LABELS:
		take_labels(receiver, message->text);
		break;
	case LINK_RELOADED:
		take_reloaded(receiver, message);
		break;
	case LINK_RELOAD_VERDICT:
		take_verdict(receiver, message);
		break;
	case LINK_WEB_FILES:
		take_web_files(receiver, message->descriptor);
		break;
	case LINK_LIVES:
		page_board_note_life(receiver->board);
		break;
	default:
		return false;
	}
	if (message->descriptor >= 0)
		close(message->descriptor);
	return true;
}

void receiver_run(struct receiver *receiver, struct http_server *server)
{
	struct link_message message = {.kind = LINK_SERVES, .descriptor = -1};
	receiver->server = server;
	page_board_note_life(receiver->board);
	link_say(receiver->socket, &message);
	do
		link_hear(receiver->socket, true, receiver->text, &message);
	while (take(receiver, &message));
}

/* With the lock. */
static bool wait_for_verdict(struct receiver *receiver)
{
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += VERDICT_WITHIN_S;
	while (!receiver->is_judged)
		if (pthread_cond_clockwait(&receiver->judged, &receiver->lock, CLOCK_MONOTONIC, &end) == ETIMEDOUT)
			return false;
	return true;
}

bool receiver_ask_to_reload(void *context, struct error *err)
{
	struct receiver *receiver = context;
	pthread_mutex_lock(&receiver->lock);
	receiver->is_judged = false;
	bool is_asked =
		link_say(receiver->socket,
			 &(struct link_message){.kind = LINK_RELOAD, .slot = ++receiver->asked, .descriptor = -1});
	bool is_judged = is_asked && wait_for_verdict(receiver), is_right = is_judged && receiver->is_right;
	if (!is_judged)
		error_set(err, "no answer within %d s: the log will say", VERDICT_WITHIN_S);
	else if (!is_right)
		*err = receiver->why;
	pthread_mutex_unlock(&receiver->lock);
	return is_right;
}
