/* The state file, and a copy of it that another machine brought: any bytes at all. Either they are read, and can be written
 * to, or they are set aside as they were, and a new file is begun. An odd first byte: they are the copy's. */
#include "store/store.h"

#include "fuzz.h"

#include <dirent.h>

static char folder[] = "/dev/shm/slurmscope-fuzz-state-XXXXXX", path[64], copy_path[80];

static void end(void)
{
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	REQUIRE(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/state", folder);
	snprintf(copy_path, sizeof copy_path, "%s.copy", path);
	atexit(end);
	return 0;
}

static void put_file(const char *name, struct text bytes)
{
	FILE *file = fopen(name, "we");
	REQUIRE(file && fwrite(bytes.bytes, 1, bytes.len, file) == bytes.len && fclose(file) == 0);
}

static void take_counter(const struct store_counter *counter, void *sum)
{
	*(size_t *)sum += counter->kind.len + counter->name.len + counter->what.len + counter->detail.len;
}

static void take_run(const struct store_run *run, void *sum)
{
	*(size_t *)sum += run->tres.len + run->account.len + run->user.len + run->partitions.len + run->qos.len;
}

static void take_mark(struct text name, int64_t value, void *sum)
{
	*(size_t *)sum += name.len + (size_t)(value & 1);
}

static void take_job(const struct store_job *job, void *sum)
{
	*(size_t *)sum += job->state.len + job->flags.len + job->reason.len + job->tres.len + job->node_list.len;
}

static void take_ended(const struct store_ended *ended, void *sum)
{
	*(size_t *)sum +=
		ended->state.len + ended->name.len + ended->sluid.len + ended->failed_node.len + ended->tres.len;
}

static void take_outage(const struct store_outage *outage, void *sum)
{
	*(size_t *)sum += outage->node.len + outage->kind.len + outage->worst.len + outage->cause.len;
}

/* What is left in the folder, which is empty afterwards. */
struct left {
	bool is_set_aside; /* the file */
	bool is_copy_kept; /* it was refused, and is there; SQLite may have repaired its header */
};

static void look(const char *name, struct left *left)
{
	bool is_companion = strstr(name, "-wal") || strstr(name, "-journal");
	if (is_companion)
		return;
	left->is_set_aside |= strstr(name, "/state.damaged-") || strstr(name, "/state.foreign-");
	left->is_copy_kept |= !!strstr(name, "/state.copy.unusable-");
}

static struct left clean(void)
{
	struct left left = {false, false};
	DIR *listing = opendir(folder);
	REQUIRE(listing);
	for (const struct dirent *entry; (entry = readdir(listing));) {
		char name[400];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
		look(name, &left);
		unlink(name);
	}
	closedir(listing);
	return left;
}

/* What was found can be added to, unless SQLite finds only then what is wrong. */
static void write_more(struct store *store)
{
	struct error err = {""};
	if (store_begin(store, &err) == STORE_WANTS_NOTHING)
		return;
	store_put_mark(store, "fuzz", 1);
	store_commit(store, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct store_visitor visitor = {take_counter, take_run,   take_mark,
						     take_job,	   take_ended, take_outage};
	struct input input = input_of(data, size);
	bool is_copy = input_byte(&input) & 1;
	struct text bytes = input_rest(&input);
	struct error err = {""}, story;
	size_t sum = 0;
	struct store *store = store_new(path, "cluster");
	if (is_copy)
		store_share(store);
	put_file(is_copy ? copy_path : path, bytes);
	enum store_found found = store_load(store, &visitor, &sum, &err);
	REQUIRE((found == STORE_UNUSABLE || found == STORE_SET_ASIDE) == !!*err.text);
	bool is_refused = store_copy(store, &story) == STORE_COPY_REFUSED;
	bool is_aside = store_set_aside_count(store) > 0;
	REQUIRE((found == STORE_SET_ASIDE) == is_aside);
	if (found != STORE_UNUSABLE)
		write_more(store);
	store_free(store);
	struct left left = clean();
	REQUIRE(!is_aside || left.is_set_aside);
	REQUIRE(is_refused == left.is_copy_kept);
	return 0;
}
