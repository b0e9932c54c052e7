/* Looks once a second whether the files of the web configuration have changed. It does so in a thread of its own, so
 * that a file on a mount that hangs delays nobody else. */
#pragma once

#include "web/http_server.h"

struct web_watch;

/* `files` are those that are in force, of which the watch keeps the versions; wiped. Its thread calls `changed` with new
 * ones, which that function may keep by setting their count to 0. */
struct web_watch *web_watch_start(struct web_files *files, void (*changed)(void *context, struct web_files *files),
				  void *context, struct error *err);

/* False: its thread has been at one file for 30 s. NULL: it has none, and is well. */
bool web_watch_makes_progress(const struct web_watch *watch, uint64_t now_ns);

/* Calls nothing from then on. Does not wait for a thread that hangs: it keeps what it has until the process ends. NULL is
 * fine. */
void web_watch_stop(struct web_watch *watch);
