/* Reads the options, and does what they say. */
#include "base/clock.h"
#include "base/version.h"
#include "config/help.h"
#include "config/manual.h"
#include "config/setup.h"
#include "doctor/doctor.h"
#include "page/board.h"
#include "page/edition.h"
#include "page/process.h"
#include "poll/fleet.h"
#include "sandbox/sandbox.h"
#include "slurmscope/report.h"
#include "slurmscope/split.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 }; /* of doctor, for wrong options; its 1 means that an examination failed */

static int fail(const struct error *err)
{
	log_line(LOG_LEVEL_ERROR, err->text, NULL);
	return EXIT_FAILURE;
}

static int print(struct buf *text)
{
	struct error err;
	bool is_whole = !text->len || fwrite(text->bytes, 1, text->len, stdout) == text->len;
	is_whole = is_whole && fflush(stdout) == 0;
	if (!is_whole)
		error_set(&err, "standard output: %s", strerror(errno));
	buf_done(text);
	return is_whole ? EXIT_SUCCESS : fail(&err);
}

/* That asks once and ends. */
struct daemon {
	struct setup *setup;
	struct fleet *fleet;
	struct page_board board;
	struct sandbox sandbox;
};

static bool enter_sandbox(struct daemon *daemon, struct error *err)
{
	struct setup *setup = daemon->setup;
	bool is_entered = sandbox_enter(&daemon->sandbox, setup->clusters, setup->cluster_count, err);
	sandbox_log(&daemon->sandbox);
	return is_entered && sandbox_enter_poller(&daemon->sandbox, &setup->process, err);
}

static int once(struct daemon *daemon)
{
	struct error err;
	bool all_answered = fleet_poll_all(daemon->fleet);
	struct edition *edition = page_board_borrow_edition(&daemon->board);
	struct rendition *page = edition_render(edition, &(struct rendition_options){0}, UINT64_MAX, &err);
	struct buf text = BUF_INIT;
	buf_add_text(&text, buf_text(&page->bytes));
	rendition_release(page);
	edition_release(edition);
	int status = print(&text);
	return all_answered ? status : EXIT_FAILURE;
}

static int poll_once(struct setup *setup)
{
	struct error err;
	struct daemon daemon = {.setup = setup};
	page_board_init(&daemon.board);
	page_board_note_reload(&daemon.board, NULL, clock_now());
	daemon.fleet = fleet_new(&daemon.board);
	bool is_ready = enter_sandbox(&daemon, &err) && fleet_take(daemon.fleet, setup, &err);
	int status = is_ready ? once(&daemon) : fail(&err);
	fleet_free(daemon.fleet);
	page_board_done(&daemon.board);
	sandbox_done(&daemon.sandbox);
	return status;
}

static int run(struct setup *setup)
{
	signal(SIGPIPE, SIG_IGN);
	setup_log_exposure(setup);
	return setup->process.once ? poll_once(setup) : split_and_run(setup);
}

/* "users u-6bcd...": a line for each kind; of several clusters the name goes before. */
static int print_hashes(const struct setup *setup)
{
	struct error err;
	struct buf out = BUF_INIT;
	struct arena texts = ARENA_INIT;
	bool has_keys = true;
	for (size_t i = 0; has_keys && i < setup->cluster_count; i++) {
		const struct config *config = &setup->clusters[i];
		struct name_hash *hash;
		has_keys = config_name_hash(config, &hash, &err) &&
			   (hash || config_wrong(config, "names.hash-key-file", &err, "is missing"));
		for (size_t kind = 0; has_keys && kind < HASHED_KINDS; kind++)
			if (config_hashed(config) >> kind & 1)
				buf_printf(&out, "%s%s%s %s\n", config->name ? config->name : "",
					   config->name ? " " : "", hashed_names[kind],
					   name_hash(hash, (enum hashed)kind, text_of(setup->process.hash_name), &texts)
						   .bytes);
		name_hash_free(hash);
	}
	arena_done(&texts);
	if (has_keys)
		return print(&out);
	buf_done(&out);
	return fail(&err);
}

/* What the options say is to be done. */
static int act(struct setup *setup)
{
	struct error err;
	struct buf out = BUF_INIT;
	const struct config *config = &setup->process;
	if (config->help)
		help_write(config->help, help_width(STDOUT_FILENO), &out);
	else if (config->version)
		buf_printf(&out, "slurmscope %s%s%s (%s)\n", version_number, *version_revision ? " " : "",
			   version_revision, version_compiler);
	else if (config->list_metrics)
		setup_list_metrics(setup, &out);
	else if (config->example_config)
		config_example(&out);
	else if (config->print_manual)
		manual_write((enum manual)config->print_manual, &out);
	else if (config->hash_name)
		return print_hashes(setup);
	else if (config->print_config)
		setup_print(setup, &out);
	else if (!config->check_config)
		return run(setup);
	else if (!setup_check(setup, &err))
		return fail(&err);
	else
		buf_add_string(&out, "the configuration is valid\n");
	return print(&out);
}

/* Each cluster in turn. */
static int examine(const struct setup *setup, bool is_strict)
{
	struct report to = {.out = stdout};
	doctor_examine_process(&setup->process, &to);
	for (size_t i = 0; i < setup->cluster_count; i++) {
		if (setup->has_names)
			printf("%s\n", setup->clusters[i].name);
		doctor_examine(&setup->clusters[i], &to);
	}
	report_end(&to);
	bool is_well = !to.counts[VERDICT_FAIL] && !(is_strict && to.counts[VERDICT_WARN]);
	return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct error err;
	bool is_read;
	process_guard();
	if (argc > 1 && strcmp(argv[1], "report") == 0)
		return report_main(argc - 2, argv + 2);
	bool is_doctor = argc > 1 && strcmp(argv[1], "doctor") == 0;
	bool is_strict = is_doctor && argc > 2 && strcmp(argv[2], "--strict") == 0;
	int words = is_doctor + is_strict; /* before the options */
	struct setup *setup = setup_new(argc - words, argv + words, &is_read, &err);
	log_setup((enum log_level)setup->process.log_level, (enum log_format)setup->process.log_format);
	int status = !is_read				 ? (fail(&err), is_doctor ? EXIT_USAGE : EXIT_FAILURE)
		     : is_doctor && !setup->process.help ? examine(setup, is_strict)
							 : act(setup);
	setup_release(setup);
	return status;
}
