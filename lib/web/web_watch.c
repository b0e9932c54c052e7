#include "web/web_watch.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_S = 1, PATIENCE_S = 1 };

struct web_watch {
	struct web_files files; /* the versions that were read last, valid or not */
	void (*changed)(void *context, struct web_files *files);
	void *context;
	struct http_progress progress;
	pthread_t thread;
	pthread_mutex_t lock; /* held while `changed` is called */
	pthread_cond_t ends;
	bool is_ended;
};

static struct timespec in_seconds(int seconds)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += seconds;
	return time;
}

/* Of a file that hangs neither stat nor open returns. */
static void look(struct web_watch *watch, struct web_files *ret_files)
{
	atomic_store(&watch->progress.busy_since_ns, clock_monotonic_ns());
	if (web_files_changed(&watch->files))
		web_files_read(watch->files.files[0].path, ret_files);
	atomic_store(&watch->progress.busy_since_ns, 0);
}

static void keep_versions(struct web_watch *watch, const struct web_files *files)
{
	web_files_done(&watch->files);
	watch->files = *files;
	for (unsigned i = 0; i < files->count; i++) {
		struct web_file *file = &watch->files.files[i];
		file->path = memory_copy(file->path, strlen(file->path));
		file->error = NULL;
		file->bytes = (struct buf)BUF_INIT;
	}
}

static void *watch_files(void *context)
{
	struct web_watch *watch = context;
	pthread_mutex_lock(&watch->lock);
	while (!watch->is_ended) {
		struct timespec next = in_seconds(LOOK_S);
		if (pthread_cond_clockwait(&watch->ends, &watch->lock, CLOCK_MONOTONIC, &next) == 0)
			continue;
		struct web_files files = {.count = 0};
		pthread_mutex_unlock(&watch->lock);
		look(watch, &files);
		pthread_mutex_lock(&watch->lock);
		if (files.count) {
			keep_versions(watch, &files);
			if (!watch->is_ended)
				watch->changed(watch->context, &files);
			web_files_done(&files);
		}
	}
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

static void web_watch_free(struct web_watch *watch)
{
	web_files_done(&watch->files);
	pthread_cond_destroy(&watch->ends);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

struct web_watch *web_watch_start(struct web_files *files, void (*changed)(void *context, struct web_files *files),
				  void *context, struct error *err)
{
	struct web_watch *watch = NEW(struct web_watch);
	watch->files = *files;
	files->count = 0;
	web_files_wipe(&watch->files);
	watch->changed = changed;
	watch->context = context;
	pthread_mutex_init(&watch->lock, NULL);
	pthread_cond_init(&watch->ends, NULL);
	int code = pthread_create(&watch->thread, NULL, watch_files, watch);
	if (!code)
		return watch;
	error_set(err, "cannot start the thread that watches the web configuration: %s", strerror(code));
	web_watch_free(watch);
	return NULL;
}

bool web_watch_makes_progress(const struct web_watch *watch, uint64_t now_ns)
{
	return !watch || http_progress_is_made(&watch->progress, now_ns);
}

void web_watch_stop(struct web_watch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->is_ended = true;
	pthread_cond_signal(&watch->ends);
	pthread_mutex_unlock(&watch->lock);
	struct timespec end = in_seconds(PATIENCE_S);
	if (pthread_clockjoin_np(watch->thread, NULL, CLOCK_MONOTONIC, &end) == 0)
		web_watch_free(watch);
}
