/* What goes from the process that polls to the one that serves: pages as bytes, messages, and what becomes of them. */
#include "base/clock.h"
#include "base/memory.h"
#include "check.h"
#include "page/board.h"
#include "page/edition.h"
#include "page/handover.h"
#include "page/image.h"
#include "page/link.h"
#include "page/receiver.h"
#include "page/sealed.h"
#include "status/pages.h"
#include "status/status_image.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };
#define S UINT64_C(1000000000)

/* A job of each stage. */
static void fill_jobs(struct status *status)
{
	static const char texts[] = "\0ann\0a job\0pending";
	struct status_job_rows *jobs = &status->job_rows;
	jobs->texts = arena_new(&status->arena, jobs->texts_len = sizeof texts);
	memcpy(jobs->texts, texts, sizeof texts);
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		struct status_job_set *set = &jobs->sets[stage];
		*set = (struct status_job_set){.is_known = true, .max = 9, .left_out = 4, .count = 1};
		set->rows = arena_new(&status->arena, sizeof *set->rows);
		set->rows[0] = (struct status_job){
			.id = 100 + (uint32_t)stage, .array_task_id = UINT32_MAX, .user = 1, .name = 5, .state = 11};
	}
}

/* With each text and array that there is, in the arena. */
static struct status *full_status(void)
{
	struct status *status = status_new(1800000000);
	unsigned number = 0;
	char text[32];
#define FILL(member) (snprintf(text, sizeof text, "text %u", number++), (member) = status_copy(status, text_of(text)))
#define ROWS(array, size, member)                                                                                      \
	(array) = arena_new(&status->arena, ((size) = 3) * sizeof *(array));                                           \
	for (size_t i = 0; i < 3; i++)                                                                                 \
	FILL((array)[i].member)
	FILL(status->name);
	FILL(status->url);
	FILL(status->slurm_version);
	FILL(status->api_version);
	status->role.follows = true;
	FILL(status->role.host);
	FILL(status->role.serving);
	FILL(status->role.waits_for);
	FILL(status->not_ready);
	ROWS(status->controllers, status->controller_count, host);
	status->nodes.is_known = status->jobs.is_known = status->jobs.has_details = true;
	ROWS(status->nodes.states.rows, status->nodes.states.count, name);
	ROWS(status->nodes.flags.rows, status->nodes.flags.count, name);
	ROWS(status->nodes.gres, status->nodes.gres_count, name);
	for (size_t i = 0; i < 3; i++)
		FILL(status->nodes.gres[i].type);
	ROWS(status->jobs.states.rows, status->jobs.states.count, name);
	ROWS(status->jobs.reasons.rows, status->jobs.reasons.count, name);
	ROWS(status->jobs.classes.rows, status->jobs.classes.count, name);
	fill_jobs(status);
	ROWS(status->endpoints, status->endpoint_count, name);
	for (size_t i = 0; i < 3; i++)
		FILL(status->endpoints[i].error);
	ROWS(status->tasks, status->task_count, name);
	for (size_t i = 0; i < 3; i++) {
		FILL(status->tasks[i].about);
		status->tasks[i].endpoint = status_copy(status, text_of(status->endpoints[i].name));
		FILL(status->tasks[i].way);
		FILL(status->tasks[i].reason);
		FILL(status->tasks[i].text);
	}
	FILL(status->asking);
	FILL(status->budgets_text);
	FILL(status->jobs_text);
	FILL(status->budgets[0].of);
	FILL(status->budgets[1].of);
	FILL(status->token.source);
	FILL(status->token.user);
	FILL(status->state_file.path);
	FILL(status->state_file.error);
	return status;
}

/* All that the status pages say of it, in all forms. */
static struct buf told(const struct status *status)
{
	static const struct jobs_query query = {.stages = 7, .page = 1};
	struct buf text = BUF_INIT;
	const struct status_site site = {.now = 1800000060,
					 .version = "v",
					 .revision = "r",
					 .metrics_path = "/metrics",
					 .query = &query,
					 .clusters = &status,
					 .cluster_count = 1};
	pages_json(&site, &text);
	pages_cluster(&site, &text);
	pages_plan(&site, &text);
	pages_jobs(&site, &text);
	pages_jobs_json(&site, &text);
	return text;
}

static void test_status(void)
{
	struct status *status = full_status();
	struct buf image = BUF_INIT, before = told(status);
	status_write(status, &image);
	status_free(status);
	struct status *copy = status_read(buf_text(&image));
	memset(image.bytes, 'x', image.len); /* the copy needs none of it */
	struct buf after = told(copy);
	check_row("status");
	CHECK(strstr(before.bytes, "text 11") != NULL && strstr(before.bytes, "\"name\":\"a job\"") != NULL);
	CHECK_STRING(after.bytes, before.bytes);
	status_free(copy);
	buf_done(&before);
	buf_done(&after);
	buf_done(&image);
}

/* What is not known stays so. */
static void test_empty_status(void)
{
	struct status *status = status_new(5), *copy;
	struct buf image = BUF_INIT, before = told(status), after;
	status_write(status, &image);
	copy = status_read(buf_text(&image));
	after = told(copy);
	check_row("empty status");
	CHECK_STRING(after.bytes, before.bytes);
	CHECK(!copy->not_ready && !copy->tasks && copy->made == 5);
	status_free(status);
	status_free(copy);
	buf_done(&before);
	buf_done(&after);
	buf_done(&image);
}

/* Bytes that are cut, or point elsewhere, are no status: nothing outside of them is read. */
static void test_hostile_status(void)
{
	struct status *status = full_status();
	struct buf image = BUF_INIT;
	check_row("hostile status");
	status_write(status, &image);
	for (size_t len = 0; len < image.len; len++) {
		char *exact = memcpy(malloc(len + !len), image.bytes, len);
		status_free(status_read((struct text){exact, len}));
		free(exact);
	}
	CHECK(status_read((struct text){image.bytes, sizeof *status}) == NULL);
	for (size_t at = 0; at + sizeof(size_t) <= sizeof *status; at += sizeof(size_t)) {
		static const size_t elsewhere[] = {SIZE_MAX, SIZE_MAX / 2, 1, 1 << 30};
		for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
			char *copy = memcpy(malloc(image.len), image.bytes, image.len);
			memcpy(copy + at, &elsewhere[i], sizeof(size_t));
			status_free(status_read((struct text){copy, image.len}));
			free(copy);
		}
	}
	size_t far = image.len;
	memcpy(image.bytes + offsetof(struct status, name), &far, sizeof far);
	CHECK(status_read(buf_text(&image)) == NULL);
	status_free(status);
	buf_done(&image);
}

/* A page with a text of its own, and something in each array, of which each has a length of its own. */
static struct page *page_saying(const char *text)
{
	struct samples samples = {.text = BUF_INIT, .sample_count = 7, .folded_count = 3};
	size_t capacity = 0;
	buf_add_string(&samples.text, text);
	GROW(samples.families, samples.count, samples.capacity);
	samples.families[samples.count++] = (struct sample_family){.order = 5, .end = samples.text.len};
	for (uint64_t i = 1; i <= 4; i++) {
		if (i <= 2) {
			GROW(samples.exemplars, samples.exemplar_count, samples.exemplar_capacity);
			samples.exemplars[samples.exemplar_count++] = (struct exemplar){.job = 40 + i};
		}
		if (i <= 3) {
			GROW(samples.natives, samples.native_count, samples.native_capacity);
			samples.natives[samples.native_count++] = (struct native){.at = 9 * i};
		}
		GROW(samples.native_buckets, samples.bucket_count, capacity);
		samples.native_buckets[samples.bucket_count++] = (struct native_bucket){-3, i};
	}
	samples.bucket_capacity = capacity;
	return page_new(&samples, full_status());
}

static void test_image(void)
{
	struct error err = {""};
	struct page *page = page_saying("a page\n");
	int image = page_image_new(page, &err);
	page_release(page);
	check_row("image");
	CHECK(image >= 0);
	CHECK(mmap(NULL, 1, PROT_WRITE, MAP_SHARED, image, 0) == MAP_FAILED);
	CHECK(pwrite(image, "x", 1, 0) < 0 && ftruncate(image, 0) < 0);
	CHECK(fcntl(image, F_ADD_SEALS, F_SEAL_WRITE) < 0);
	struct page *copy = page_image_open(image, &err);
	CHECK_STRING(err.text, "");
	close(image);
	CHECK_STRING(copy->samples.text.bytes, "a page\n");
	CHECK(copy->samples.count == 1 && copy->samples.families[0].order == 5 && copy->samples.families[0].end == 7);
	CHECK(copy->samples.exemplar_count == 2 && copy->samples.exemplars[1].job == 42);
	CHECK(copy->samples.native_count == 3 && copy->samples.natives[2].at == 27);
	CHECK(copy->samples.bucket_count == 4 && copy->samples.native_buckets[3].count == 4);
	CHECK(copy->samples.sample_count == 7 && copy->samples.folded_count == 3);
	CHECK_STRING(copy->status->name, "text 0");
	page_release(copy);
}

static void test_hostile_image(void)
{
	struct error err = {""};
	struct page *page = page_saying("a page\n");
	int image = page_image_new(page, &err);
	struct text bytes = sealed_map(image, &err);
	check_row("hostile image");
	for (size_t len = 0; len < bytes.len; len += len < 512 ? 1 : 97) {
		const struct text front = {bytes.bytes, len};
		int cut = sealed_new(&front, 1, &err);
		struct page *none = page_image_open(cut, &err);
		CHECK(none == NULL);
		page_release(none);
		close(cut);
	}
	munmap((void *)bytes.bytes, bytes.len);
	close(image);
	page_release(page);
}

static unsigned count_descriptors(void)
{
	unsigned count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Memory that was handed over and is mapped here. */
static unsigned count_mappings(void)
{
	unsigned count = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof line, maps))
		count += strstr(line, "/memfd:slurmscope") != NULL;
	fclose(maps);
	return count;
}

/* Both ends in one process: what is the other one's runs in a thread. */
struct world {
	int sockets[2];
	struct serving_signs signs;
	struct handover *handover;
	struct page_board polls, serves;
	struct receiver *receiver;
	pthread_t thread;
	unsigned descriptors; /* before it began */
};

static void begin(struct world *world)
{
	struct error err;
	*world = (struct world){.descriptors = count_descriptors()};
	CHECK(link_open(world->sockets, &err));
	world->handover = handover_new(world->sockets[0], &world->signs);
	page_board_init(&world->polls);
	world->polls.handover = world->handover;
	page_board_init(&world->serves);
	world->serves.signs = &world->signs;
	world->receiver = receiver_new(world->sockets[1], &world->serves);
}

static void *serve(void *context)
{
	struct world *world = context;
	receiver_run(world->receiver, NULL);
	return NULL;
}

static void start_serving(struct world *world)
{
	pthread_create(&world->thread, NULL, serve, world);
	CHECK_NUMBER(handover_hear(world->handover), HANDOVER_SERVES);
}

/* Nothing is left of it. */
static void finish(struct world *world)
{
	handover_end(world->handover);
	if (world->thread)
		pthread_join(world->thread, NULL);
	receiver_free(world->receiver);
	page_board_done(&world->serves);
	page_board_done(&world->polls);
	handover_free(world->handover);
	close(world->sockets[0]);
	close(world->sockets[1]);
	CHECK_NUMBER(count_descriptors(), world->descriptors);
	CHECK_NUMBER(count_mappings(), 0);
}

/* The text of the page on the board of the one that serves, of the slot that is named so. */
static bool shows(struct world *world, const char *cluster, const char *text)
{
	struct edition *edition = page_board_borrow_edition(&world->serves);
	const struct page *page = edition ? edition_page(edition, text_of(cluster)) : NULL;
	bool is_so = text ? page && strcmp(page->samples.text.bytes, text) == 0 : !page;
	edition_release(edition);
	return is_so;
}

/* Hears what comes back meanwhile. */
static void wait_until_shown(struct world *world, const char *cluster, const char *text)
{
	bool is_shown = shows(world, cluster, text);
	for (int tries = 0; tries < PATIENCE_MS / 10 && !is_shown; tries++) {
		struct pollfd link = {.fd = world->sockets[0], .events = POLLIN};
		if (poll(&link, 1, 10) > 0)
			CHECK_NUMBER(handover_hear(world->handover), HANDOVER_NOTHING);
		is_shown = shows(world, cluster, text);
	}
	CHECK(is_shown);
}

/* Pages of several clusters arrive; the newest of each is shown, and goes with its slot. */
static void test_pages(void)
{
	struct world world;
	struct page_slot a, b;
	check_row("pages");
	begin(&world);
	page_slot_init(&a, &world.polls, "a");
	page_slot_init(&b, &world.polls, "b");
	start_serving(&world);
	page_slot_publish(&a, page_saying("first of a"));
	page_slot_publish(&b, page_saying("first of b"));
	wait_until_shown(&world, "a", "first of a");
	wait_until_shown(&world, "b", "first of b");
	page_slot_publish(&a, page_saying("second of a"));
	wait_until_shown(&world, "a", "second of a");
	CHECK(shows(&world, "b", "first of b"));
	page_slot_done(&b);
	wait_until_shown(&world, "b", NULL);
	CHECK(shows(&world, "a", "second of a"));
	page_slot_done(&a);
	finish(&world);
}

/* Who takes nothing costs one page that is under way and one that waits, however many come; then the newest is shown. */
static void test_who_takes_nothing(void)
{
	enum { PAGES = 300 };
	struct world world;
	struct page_slot slot;
	char text[16];
	begin(&world);
	check_row("who takes nothing");
	page_slot_init(&slot, &world.polls, "a");
	unsigned before = count_descriptors();
	uint64_t began_ns = clock_monotonic_ns();
	for (int i = 0; i < PAGES; i++) {
		snprintf(text, sizeof text, "page %d", i);
		page_slot_publish(&slot, page_saying(text));
		CHECK(count_descriptors() <= before + 1);
	}
	CHECK(handover_makes_progress(world.handover, began_ns));
	CHECK(!handover_makes_progress(world.handover, clock_monotonic_ns() + 31 * S));
	start_serving(&world);
	wait_until_shown(&world, "a", text);
	for (int tries = 0; tries < PATIENCE_MS && !handover_makes_progress(world.handover, UINT64_MAX / 2); tries++)
		handover_hear(world.handover);
	CHECK(handover_makes_progress(world.handover, UINT64_MAX / 2));
	page_slot_done(&slot);
	finish(&world);
}

/* A slot goes while a page of it is under way and another one waits, and before a page of it arrives. */
static void test_slot_goes(void)
{
	struct error err;
	struct world world;
	struct page_slot slot;
	struct page *page = page_saying("of nobody");
	begin(&world);
	check_row("a slot goes");
	unsigned before = count_descriptors();
	page_slot_init(&slot, &world.polls, "a");
	for (int i = 0; i < 2; i++)
		page_slot_publish(&slot, page_saying("of a"));
	page_slot_done(&slot);
	CHECK_NUMBER(count_descriptors(), before);
	int image = page_image_new(page, &err), nonsense = memfd_create("slurmscope", MFD_CLOEXEC);
	CHECK(write(nonsense, "nonsense", 8) == 8);
	link_say(world.sockets[0], &(struct link_message){.kind = LINK_PAGE, .slot = slot.number, .descriptor = image});
	link_say(world.sockets[0], &(struct link_message){.kind = LINK_PAGE, .slot = 99, .descriptor = nonsense});
	link_say(world.sockets[0], &(struct link_message){.kind = LINK_SLOT_IS_GONE, .slot = 99, .descriptor = -1});
	close(image);
	close(nonsense);
	page_release(page);
	start_serving(&world);
	for (int i = 0; i < 3; i++) /* each page is taken */
		CHECK_NUMBER(handover_hear(world.handover), HANDOVER_NOTHING);
	CHECK(shows(&world, "a", NULL));
	finish(&world);
}

/* As text. */
static struct buf scrape(struct page_board *board)
{
	static const struct rendition_options options = {.format = {.format = FORMAT_TEXT}};
	struct error err;
	struct buf text = BUF_INIT;
	struct edition *edition = page_board_borrow_edition(board);
	struct rendition *rendition = edition ? edition_render(edition, &options, UINT64_MAX, &err) : NULL;
	if (rendition)
		buf_add_text(&text, buf_text(&rendition->bytes));
	rendition_release(rendition);
	edition_release(edition);
	return text;
}

static struct world *labelled; /* where somebody scrapes just before labels are replaced; NULL: nowhere */
static struct buf scraped = BUF_INIT;

void __real_page_board_label(struct page_board *board, struct text labels);
void __wrap_page_board_label(struct page_board *board, struct text labels);
void __wrap_page_board_label(struct page_board *board, struct text labels)
{
	if (labelled && board == &labelled->serves) {
		buf_done(&scraped);
		scraped = scrape(board);
	}
	__real_page_board_label(board, labels);
}

/* They are on the page until others have taken their place. */
static void test_labels(void)
{
	static const char *const labels[] = {"cluster=\"the first of all clusters\"", "cluster=\"another one\""};
	struct world world;
	struct page_slot slot;
	begin(&world);
	check_row("labels");
	page_slot_init(&slot, &world.polls, "a");
	page_slot_publish(&slot, page_saying(""));
	for (int i = 0; i < 2; i++)
		page_board_label(&world.polls, text_of(labels[i]));
	labelled = &world;
	start_serving(&world);
	page_slot_done(&slot);
	finish(&world);
	labelled = NULL;
	CHECK(strstr(scraped.bytes, labels[0]) != NULL);
	CHECK(strstr(scraped.bytes, labels[1]) == NULL);
	buf_done(&scraped);
}

/* What is read stays open, and is read each time. */
static void test_process(void)
{
	struct process_source source, child;
	struct exporter_process first, again;
	check_row("process");
	unsigned descriptors = count_descriptors();
	process_open(&source);
	process_read(&source, &first);
	int another = dup(0);
	process_read(&source, &again);
	CHECK_NUMBER(again.open_fds, first.open_fds + 1);
	CHECK(again.cpu_seconds >= first.cpu_seconds && again.start_time == first.start_time && first.start_time > 0);
	close(another);
	process_open_child(&child, &source);
	process_read(&child, &again);
	CHECK(again.resident_bytes > first.resident_bytes / 2 && again.start_time == first.start_time);
	process_close(&child);
	process_close(&source);
	CHECK_NUMBER(count_descriptors(), descriptors);
}

/* A file that says as proc(5)'s statm: virtual, resident and shared pages. */
static int memory_of(const char *pages)
{
	int file = memfd_create("statm", MFD_CLOEXEC);
	CHECK(write(file, pages, strlen(pages)) > 0);
	return file;
}

/* What both processes share counts once, and no more of it than each of them has. */
static void test_memory(void)
{
	static const struct {
		const char *what, *own, *other; /* other: NULL: it cannot be read */
		bool is_alone;
		uint64_t virtual, resident; /* pages */
	} rows[] = {{"alone", "100 50 20 0 0 0 0\n", NULL, true, 100, 50},
		    {"the other one shares more", "100 50 20", "200 70 30", false, 300, 100},
		    {"the other one shares less", "100 50 20", "200 70 5", false, 300, 115},
		    {"the other one cannot be read", "100 50 20", NULL, false, NUMBER_UNSET, NUMBER_UNSET},
		    {"nonsense", "100 50", "200 70 5", false, NUMBER_UNSET, NUMBER_UNSET}};
	uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct process_source source = {.memory = {memory_of(rows[i].own), -1}};
		struct exporter_process process;
		check_row(rows[i].what);
		source.other = rows[i].is_alone ? 0 : getpid();
		if (rows[i].other)
			source.memory[1] = memory_of(rows[i].other);
		process_read(&source, &process);
		bool is_known = number_is_known(rows[i].virtual);
		CHECK(process.virtual_bytes == (is_known ? rows[i].virtual * bytes : NUMBER_UNSET));
		CHECK(process.resident_bytes == (is_known ? rows[i].resident * bytes : NUMBER_UNSET));
		process_close(&source);
	}
	check_row(NULL);
}

/* The server's thread of the other side hangs: its sign says so. */
static void test_signs(void)
{
	struct world world;
	begin(&world);
	check_row("signs");
	CHECK(handover_makes_progress(world.handover, 100 * S));
	atomic_store(&world.signs.progress.busy_since_ns, 60 * S);
	CHECK(handover_makes_progress(world.handover, 89 * S));
	CHECK(!handover_makes_progress(world.handover, 90 * S));
	CHECK_NUMBER(page_board_scrapes(&world.polls), 0);
	page_board_count(&world.serves, FORMAT_TEXT, SCRAPE_OK);
	page_board_count(&world.serves, FORMAT_OPENMETRICS, SCRAPE_NOT_READY);
	CHECK_NUMBER(page_board_scrapes(&world.serves), 2);
	CHECK_NUMBER(page_board_scrapes(&world.polls), 2);
	finish(&world);
}

/* The process that polls has made no progress, has ended or was stopped: /-/healthy says so. */
static void test_life(void)
{
	struct world world;
	begin(&world);
	check_row("life");
	CHECK(page_board_silence_s(&world.polls, 1000000 * S) == 0); /* of a board without a link */
	start_serving(&world);
	CHECK(page_board_silence_s(&world.serves, clock_monotonic_ns()) == 0);
	atomic_store(&world.serves.life_ns, 100 * S);
	CHECK(page_board_silence_s(&world.serves, 160 * S) == 0);
	CHECK(page_board_silence_s(&world.serves, 161 * S) == 61);
	handover_lives(world.handover);
	for (int tries = 0; tries < PATIENCE_MS && atomic_load(&world.serves.life_ns) == 100 * S; tries++)
		usleep(1000);
	CHECK(page_board_silence_s(&world.serves, clock_monotonic_ns()) == 0);
	CHECK(atomic_load(&world.serves.life_ns) <= clock_monotonic_ns());
	finish(&world);
}

static bool is_told_of(struct world *world, bool is_newest, const char *why)
{
	struct error error = {""};
	double read;
	bool is_so = page_board_config(&world->serves, &read, &error) == is_newest && strcmp(error.text, why) == 0;
	return is_so && read == 1234.5; /* the one in force is as old as it was */
}

static bool says(struct world *world, const char *line)
{
	struct buf text = scrape(&world->serves);
	bool is_so = strstr(text.bytes, line) != NULL;
	buf_done(&text);
	return is_so;
}

static void test_reloaded(void)
{
	static const struct error why = {"line 3: no"};
	struct world world;
	struct page_slot slot;
	begin(&world);
	check_row("reloaded");
	page_slot_init(&slot, &world.polls, "a");
	page_slot_publish(&slot, page_saying(""));
	start_serving(&world);
	wait_until_shown(&world, "a", "");
	CHECK(says(&world, "slurmscope_config_last_reload_successful 0\n"));
	page_board_note_reload(&world.polls, NULL, 1234.5);
	for (int tries = 0; tries < PATIENCE_MS && !is_told_of(&world, true, ""); tries++)
		poll(NULL, 0, 1);
	CHECK(is_told_of(&world, true, ""));
	CHECK(says(&world, "slurmscope_config_last_reload_successful 1\n"));
	page_board_note_reload(&world.polls, &why, 2000);
	for (int tries = 0; tries < PATIENCE_MS && !is_told_of(&world, false, why.text); tries++)
		poll(NULL, 0, 1);
	CHECK(is_told_of(&world, false, why.text));
	CHECK(says(&world, "slurmscope_config_last_reload_successful 0\n"));
	CHECK(says(&world, "slurmscope_config_last_reload_success_timestamp_seconds 1234.5\n"));
	page_slot_done(&slot);
	finish(&world);
}

struct asked {
	struct world *world;
	bool is_right;
	struct error why;
};

static void *ask(void *context)
{
	struct asked *asked = context;
	asked->is_right = receiver_ask_to_reload(asked->world->receiver, &asked->why);
	return NULL;
}

/* Until the other side has taken what was said before. */
static void wait_for_receiver(struct world *world)
{
	struct error err;
	struct page *page = page_saying("of nobody");
	const struct link_message message = {.kind = LINK_PAGE, .slot = 99, .descriptor = page_image_new(page, &err)};
	for (int i = 0; i < 20; i++) { /* so often that the one that it woke has run, too */
		link_say(world->sockets[0], &message);
		CHECK_NUMBER(handover_hear(world->handover), HANDOVER_NOTHING);
	}
	close(message.descriptor);
	page_release(page);
}

/* A client's request to reload is judged by the process that polls: not by its word on an earlier one. */
static void test_verdicts(void)
{
	static const struct error why = {"line 3: no"};
	struct world world;
	begin(&world);
	start_serving(&world);
	for (int is_right = 0; is_right < 2; is_right++) {
		struct asked asked = {.world = &world, .why = {""}};
		pthread_t thread;
		check_row(is_right ? "right" : "wrong");
		pthread_create(&thread, NULL, ask, &asked);
		CHECK_NUMBER(handover_hear(world.handover), HANDOVER_RELOAD);
		link_say(world.sockets[0], &(struct link_message){.kind = LINK_RELOAD_VERDICT,
								  .slot = (uint32_t)is_right,
								  .is_good = !is_right,
								  .descriptor = -1});
		wait_for_receiver(&world);
		handover_verdict(world.handover, is_right ? NULL : &why);
		pthread_join(thread, NULL);
		CHECK(asked.is_right == (bool)is_right);
		CHECK_STRING(asked.why.text, is_right ? "" : why.text);
	}
	finish(&world);
}

/* The process that polls believes nothing but messages that the other one may say, and takes no descriptor of it. */
static void test_nonsense(void)
{
	static const struct link_message not_its[] = {
		{.kind = LINK_SLOT, .descriptor = -1},	 {.kind = LINK_PAGE, .descriptor = -1},
		{.kind = LINK_KINDS, .descriptor = -1},	 {.kind = (enum link_kind)12345, .descriptor = -1},
		{.kind = LINK_CLOSED, .descriptor = -1},
	};
	static const char long_one[2 * LINK_TEXT_BYTES] = "", short_one[4] = "";
	struct world world;
	begin(&world);
	for (size_t i = 0; i < sizeof not_its / sizeof *not_its; i++) {
		check_row("not its to say");
		CHECK(link_say(world.sockets[1], &not_its[i]));
		CHECK(handover_hear(world.handover) >= HANDOVER_ENDED);
	}
	check_row("too long, too short");
	CHECK(send(world.sockets[1], long_one, sizeof long_one, 0) > 0);
	CHECK_NUMBER(handover_hear(world.handover), HANDOVER_NONSENSE);
	CHECK(send(world.sockets[1], short_one, sizeof short_one, 0) > 0);
	CHECK_NUMBER(handover_hear(world.handover), HANDOVER_NONSENSE);
	check_row("slots that are none");
	for (uint32_t slot = 0; slot < 3; slot++) {
		CHECK(link_say(world.sockets[1],
			       &(struct link_message){.kind = LINK_TOOK_PAGE, .slot = slot, .descriptor = -1}));
		CHECK_NUMBER(handover_hear(world.handover), HANDOVER_NOTHING);
	}
	check_row("a descriptor");
	unsigned before = count_descriptors();
	CHECK(link_say(world.sockets[1], &(struct link_message){.kind = LINK_RELOAD, .descriptor = world.sockets[1]}));
	CHECK_NUMBER(handover_hear(world.handover), HANDOVER_RELOAD);
	CHECK_NUMBER(count_descriptors(), before);
	check_row("the end");
	close(world.sockets[1]);
	CHECK_NUMBER(handover_hear(world.handover), HANDOVER_ENDED);
	world.sockets[1] = dup(world.sockets[0]);
	finish(&world);
}

/* What is published when nobody is there any more is let go of. */
static void test_after_the_end(void)
{
	struct world world;
	struct page_slot slot;
	begin(&world);
	check_row("after the end");
	page_slot_init(&slot, &world.polls, NULL);
	start_serving(&world);
	page_slot_publish(&slot, page_saying("last"));
	handover_end(world.handover);
	pthread_join(world.thread, NULL);
	world.thread = 0;
	unsigned before = count_descriptors();
	for (int i = 0; i < 10; i++)
		page_slot_publish(&slot, page_saying("too late"));
	CHECK(count_descriptors() <= before + 1);
	page_slot_done(&slot);
	finish(&world);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static unsigned taken_files; /* how many came */
static atomic_uint times_taken;

void __wrap_http_server_take_files(struct http_server *server, struct web_files *files);
void __wrap_http_server_take_files(struct http_server *server, struct web_files *files)
{
	CHECK(!server);
	taken_files = files->count;
	web_files_done(files);
	times_taken++;
}

/* Also after some that are none. */
static void hand_over_files(const char *path)
{
	struct error err;
	struct world world;
	struct web_files files;
	begin(&world);
	const struct text nonsense = TEXT("nonsense");
	int memory = sealed_new(&nonsense, 1, &err);
	link_say(world.sockets[0], &(struct link_message){.kind = LINK_WEB_FILES, .descriptor = memory});
	close(memory);
	web_files_read(path, &files);
	handover_web_files(world.handover, &files);
	start_serving(&world);
	finish(&world);
	CHECK_NUMBER(times_taken, 1);
	CHECK_NUMBER(taken_files, files.count);
	web_files_done(&files);
}

/* The files of a web configuration are one process's to read, and another one's to make something of. */
static void test_web_files(void)
{
	static const char begin[] = "tls_server_config: {cert_file: cert, key_file: none, client_auth_type: ";
	static const struct {
		const char *name, *rest;
		unsigned count;
		bool has_system_trust;
	} rows[] = {
		{"no clients' certificates", "NoClientCert}", 3, false},
		{"any", "RequireAnyClientCert}", 3, false},
		{"of an authority", "RequireAndVerifyClientCert, client_ca_file: cert}", 3, false},
		{"of an authority here", "RequireAndVerifyClientCert, client_ca: x}", 3, false},
		{"of one that the system trusts", "RequireAndVerifyClientCert}", 4, true},
		{"if given", "VerifyClientCertIfGiven}", 4, true},
	};
	char folder[] = "/tmp/test-handover-XXXXXX", path[64], cert[64], text[256];
	struct web_files files, copy;
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/web.yml", folder);
	snprintf(cert, sizeof cert, "%s/cert", folder);
	write_file(cert, "a certificate");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf bytes = BUF_INIT;
		check_row(rows[i].name);
		snprintf(text, sizeof text, "%s%s\n", begin, rows[i].rest);
		write_file(path, text);
		web_files_read(path, &files);
		CHECK(!web_files_changed(&files));
		web_files_write(&files, &bytes);
		web_files_done(&files);
		CHECK(web_files_parse(buf_text(&bytes), &copy));
		CHECK_NUMBER(copy.count, rows[i].count);
		CHECK_STRING(copy.files[0].bytes.bytes, text);
		const struct web_file *there = web_files_find(&copy, "cert"), *none = web_files_find(&copy, "none");
		CHECK_STRING(there ? there->bytes.bytes : NULL, "a certificate");
		CHECK(there && !there->error);
		CHECK_STRING(none ? none->error : NULL, "No such file or directory");
		CHECK((web_files_find(&copy, WEB_SYSTEM_TRUST) != NULL) == rows[i].has_system_trust);
		web_files_done(&copy);
		for (size_t len = 0; len < bytes.len; len++)
			if (web_files_parse((struct text){bytes.bytes, len}, &copy))
				web_files_done(&copy);
		buf_done(&bytes);
	}
	check_row("as the other process gets them");
	hand_over_files(path);
	check_row("another file, of the same size and time");
	struct stat status;
	unsigned descriptors = count_descriptors();
	web_files_read(path, &files);
	CHECK_NUMBER(count_descriptors(), descriptors);
	stat(cert, &status);
	const struct timespec times[] = {status.st_atim, status.st_mtim};
	snprintf(text, sizeof text, "%s/new", folder);
	write_file(text, "A certificate");
	CHECK(utimensat(AT_FDCWD, text, times, 0) == 0 && rename(text, cert) == 0);
	CHECK(web_files_changed(&files));
	web_files_done(&files);
	check_row("of another time, by a nanosecond");
	struct timespec later[] = {times[0], times[1]};
	later[1].tv_nsec = 5;
	utimensat(AT_FDCWD, cert, later, 0);
	web_files_read(path, &files);
	later[1].tv_nsec++;
	utimensat(AT_FDCWD, cert, later, 0);
	CHECK(web_files_changed(&files));
	web_files_done(&files);
	check_row("changed");
	web_files_read(path, &files);
	write_file(cert, "another certificate");
	CHECK(web_files_changed(&files));
	web_files_done(&files);
	unlink(path), unlink(cert), rmdir(folder);
}

int main(void)
{
	test_status();
	test_empty_status();
	test_hostile_status();
	test_image();
	test_hostile_image();
	test_pages();
	test_who_takes_nothing();
	test_slot_goes();
	test_labels();
	test_process();
	test_memory();
	test_signs();
	test_life();
	test_reloaded();
	test_verdicts();
	test_nonsense();
	test_after_the_end();
	test_web_files();
	return check_done();
}
