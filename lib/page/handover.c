#include "page/handover.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "page/image.h"
#include "page/link.h"
#include "page/sealed.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint64_t taken_within_ns = UINT64_C(30000000000);

/* One cluster's, in a list. */
struct place {
	uint32_t slot;
	uint64_t sent_ns; /* of the page that is under way; 0: none is */
	int waiting; /* a newer one; -1: none */
	struct place *next;
};

struct handover {
	int socket;
	const struct serving_signs *signs;
	pthread_mutex_t lock; /* of what follows, and of what is said */
	struct place *places;
	uint32_t slots; /* numbers that were given */
	uint32_t asked; /* the request to reload that is to be judged */
	bool is_broken;
	char text[LINK_TEXT_BYTES]; /* of the main thread */
};

struct handover *handover_new(int socket, const struct serving_signs *signs)
{
	struct handover *handover = NEW(struct handover);
	handover->socket = socket;
	handover->signs = signs;
	pthread_mutex_init(&handover->lock, NULL);
	return handover;
}

static void free_place(struct place **at)
{
	struct place *place = *at;
	*at = place->next;
	if (place->waiting >= 0)
		close(place->waiting);
	free(place);
}

void handover_free(struct handover *handover)
{
	if (!handover)
		return;
	while (handover->places)
		free_place(&handover->places);
	pthread_mutex_destroy(&handover->lock);
	free(handover);
}

/* With the lock: nothing more is said, and the main thread hears that nothing more comes. */
static void break_off(struct handover *handover)
{
	handover->is_broken = true;
	shutdown(handover->socket, SHUT_RDWR);
}

/* With the lock. */
static void say(struct handover *handover, const struct link_message *message)
{
	if (!handover->is_broken && !link_say(handover->socket, message))
		break_off(handover);
}

static void say_alone(struct handover *handover, const struct link_message *message)
{
	pthread_mutex_lock(&handover->lock);
	say(handover, message);
	pthread_mutex_unlock(&handover->lock);
}

uint32_t handover_add(struct handover *handover, const char *cluster)
{
	struct place *place = NEW(struct place);
	pthread_mutex_lock(&handover->lock);
	uint32_t slot = ++handover->slots;
	*place = (struct place){.slot = slot, .waiting = -1, .next = handover->places};
	handover->places = place;
	say(handover, &(struct link_message){.kind = LINK_SLOT,
					     .slot = slot,
					     .is_good = cluster != NULL,
					     .descriptor = -1,
					     .text = text_of(cluster)});
	pthread_mutex_unlock(&handover->lock);
	return slot;
}

static struct place **find(struct handover *handover, uint32_t slot)
{
	struct place **at = &handover->places;
	while (*at && (*at)->slot != slot)
		at = &(*at)->next;
	return at;
}

/* Takes the descriptor. */
static void send_page(struct handover *handover, struct place *place, int image)
{
	place->sent_ns = clock_monotonic_ns();
	say(handover, &(struct link_message){.kind = LINK_PAGE, .slot = place->slot, .descriptor = image});
	close(image);
}

/* With the lock. The other side would serve what it has for ever, so rather both begin again. */
static void fail(struct handover *handover, const struct error *err)
{
	if (!handover->is_broken)
		log_line(LOG_LEVEL_ERROR, "slurmscope cannot hand anything to the process that serves", "error",
			 err->text, NULL);
	break_off(handover);
}

void handover_page(struct handover *handover, uint32_t slot, const struct page *page)
{
	struct error err;
	int image = page_image_new(page, &err);
	pthread_mutex_lock(&handover->lock);
	struct place *place = *find(handover, slot);
	if (image < 0) {
		fail(handover, &err);
	} else if (!place->sent_ns) {
		send_page(handover, place, image);
	} else {
		if (place->waiting >= 0)
			close(place->waiting);
		place->waiting = image;
	}
	pthread_mutex_unlock(&handover->lock);
}

void handover_remove(struct handover *handover, uint32_t slot)
{
	pthread_mutex_lock(&handover->lock);
	free_place(find(handover, slot));
	say(handover, &(struct link_message){.kind = LINK_SLOT_IS_GONE, .slot = slot, .descriptor = -1});
	pthread_mutex_unlock(&handover->lock);
}

void handover_labels(struct handover *handover, struct text labels)
{
	say_alone(handover, &(struct link_message){.kind = LINK_LABELS, .descriptor = -1, .text = labels});
}

/* Whether something is right, and why it is not. */
static void say_of_reload(struct handover *handover, enum link_kind kind, const struct error *why, double now)
{
	say_alone(handover, &(struct link_message){.kind = kind,
						   .slot = handover->asked,
						   .is_good = !why,
						   .time = now,
						   .descriptor = -1,
						   .text = text_of(why ? why->text : NULL)});
}

void handover_reloaded(struct handover *handover, const struct error *why, double now)
{
	say_of_reload(handover, LINK_RELOADED, why, now);
}

void handover_verdict(struct handover *handover, const struct error *why)
{
	say_of_reload(handover, LINK_RELOAD_VERDICT, why, 0);
}

void handover_web_files(struct handover *handover, const struct web_files *files)
{
	struct error err;
	struct buf bytes = BUF_INIT;
	web_files_write(files, &bytes);
	const struct text all = buf_text(&bytes);
	int memory = sealed_new(&all, 1, &err);
	explicit_bzero(bytes.bytes, bytes.capacity); /* there is a key in it */
	buf_done(&bytes);
	pthread_mutex_lock(&handover->lock);
	if (memory < 0)
		fail(handover, &err);
	else
		say(handover, &(struct link_message){.kind = LINK_WEB_FILES, .descriptor = memory});
	pthread_mutex_unlock(&handover->lock);
	if (memory >= 0)
		close(memory);
}

void handover_lives(struct handover *handover)
{
	say_alone(handover, &(struct link_message){.kind = LINK_LIVES, .descriptor = -1});
}

uint64_t handover_scrapes(const struct handover *handover)
{
	return atomic_load(&handover->signs->scrapes);
}

bool handover_makes_progress(struct handover *handover, uint64_t now_ns)
{
	pthread_mutex_lock(&handover->lock);
	const struct place *place = handover->places;
	while (place && (!place->sent_ns || now_ns < place->sent_ns + taken_within_ns))
		place = place->next;
	pthread_mutex_unlock(&handover->lock);
	return !place && http_progress_is_made(&handover->signs->progress, now_ns);
}

static void note_taken(struct handover *handover, uint32_t slot)
{
	pthread_mutex_lock(&handover->lock);
	struct place *place = *find(handover, slot); /* it may be gone by now */
	if (place && place->waiting >= 0) {
		int image = place->waiting;
		place->waiting = -1;
		send_page(handover, place, image);
	} else if (place) {
		place->sent_ns = 0;
	}
	pthread_mutex_unlock(&handover->lock);
}

void handover_end(struct handover *handover)
{
	pthread_mutex_lock(&handover->lock);
	handover->is_broken = true;
	shutdown(handover->socket, SHUT_WR);
	pthread_mutex_unlock(&handover->lock);
}

enum handover_event handover_hear(struct handover *handover)
{
	struct link_message message;
	link_hear(handover->socket, false, handover->text, &message);
	switch (message.kind) {
	case LINK_SERVES:
		return HANDOVER_SERVES;
	case LINK_RELOAD:
		handover->asked = message.slot;
		return HANDOVER_RELOAD;
	case LINK_TOOK_PAGE:
		note_taken(handover, message.slot);
		return HANDOVER_NOTHING;
	case LINK_CLOSED:
		return HANDOVER_ENDED;
	default:
		return HANDOVER_NONSENSE;
	}
}
