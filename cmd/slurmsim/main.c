/* Builds the world, serves it, and waits for a signal. */
#include "base/clock.h"
#include "base/memory.h"
#include "slurmsim/fatal.h"
#include "slurmsim/life.h"
#include "slurmsim/options.h"
#include "slurmsim/server.h"
#include "slurmsim/templates.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static enum release release_of(const char *name)
{
	static const char *const names[] = {"22.05", "24.11", "26.05", "26.11"};
	for (int i = 0; i < 4; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum release)i;
	fatal("%s: the releases are 22.05, 24.11, 26.05 and 26.11", name);
}

/* "26.05-v0.0.45" belongs to 26.05; with --versions only if that names it. */
static void load_templates(struct sim *sim)
{
	const struct sim_options *options = &sim->options;
	size_t len = strlen(options->release);
	for (const struct template_file *file = template_files; file->name; file++) {
		const char *version = file->name + len + 1;
		if (strncmp(file->name, options->release, len) != 0 ||
		    (*options->versions && !strstr(options->versions, version)))
			continue;
		sim->versions[sim->version_count].number = atoi(version + strlen("v0.0."));
		sim->versions[sim->version_count++].templates =
			template_set_new(file->json, options->compact, sim->release == RELEASE_22_05);
	}
	if (!sim->version_count)
		fatal("%s has none of %s", options->release, options->versions);
}

static char *read_script(const char *path)
{
	struct buf text = BUF_INIT;
	char part[4096];
	size_t len;
	FILE *file = fopen(path, "r");
	if (!file)
		fatal("%s: cannot be read", path);
	while ((len = fread(part, 1, sizeof part, file)) > 0)
		buf_add(&text, part, len);
	fclose(file);
	buf_add_char(&text, '\n');
	return text.bytes;
}

/* Keeps the clock going, and connections refused when that is asked for; until a signal comes. */
static void serve(struct sim *sim, const sigset_t *signals)
{
	char name[128];
	struct timespec often = {.tv_nsec = 200000000};
	int listener = server_listen(sim->options.listen, name);
	struct server *server = server_start(sim, listener);
	printf("%s%s\n", strncmp(name, "unix:", 5) == 0 ? "" : "http://", name);
	fflush(stdout);
	while (sigtimedwait(signals, NULL, &often) < 0) {
		pthread_mutex_lock(&sim->lock);
		sim_advance(sim);
		double refuse_s = sim->refuse_s;
		sim->refuse_s = 0;
		pthread_mutex_unlock(&sim->lock);
		if (refuse_s <= 0)
			continue;
		server_stop(server);
		struct timespec away = {(time_t)refuse_s, 0};
		nanosleep(&away, NULL);
		server = server_start(sim, server_listen(name, name));
	}
	server_stop(server);
}

int main(int argc, char **argv)
{
	static struct sim sim = {.lock = PTHREAD_MUTEX_INITIALIZER};
	sigset_t signals;
	options_parse(&sim.options, argc, argv);
	if (*sim.options.key_file)
		auth_read_key(&sim.key, sim.options.key_file);
	if (*sim.options.print_token) {
		char *token = auth_sign(&sim.key, sim.options.print_token, clock_now_s(), 86400);
		puts(token);
		free(token);
		return EXIT_SUCCESS;
	}
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	sim.release = release_of(sim.options.release);
	load_templates(&sim);
	char *script = *sim.options.script ? read_script(sim.options.script) : NULL;
	sim.script = script;
	world_init(&sim.world, &sim.options.world);
	sim.begun_ns = clock_monotonic_ns();
	serve(&sim, &signals);
	world_done(&sim.world);
	free(script);
	return EXIT_SUCCESS;
}
