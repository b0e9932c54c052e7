/* Recorded answers in, page out: the whole pipeline without sockets, and without what the exporter says
 * of itself. Usage: make_page FOLDER VERSION [full], where FOLDER holds ping.json, diag.json, ...; full: nodes
 * and jobs by themselves, too. */
#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "poll/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shortly before the first answers were recorded, so that no forecast of theirs has passed. */
enum { NOW = 1795221700 };

/* diag.json or dbd_diag.json; where releases were recorded whole slurmdbd's are db_diag.json, and an endpoint that is not
 * served has what the 404 said. */
static FILE *open_answer(const char *folder, enum endpoint endpoint, char *path, size_t size)
{
	const struct endpoint_row *row = &endpoint_table[endpoint];
	snprintf(path, size, "%s/%s.json", folder, row->name);
	FILE *file = fopen(path, "re");
	if (!file && row->is_slurmdb) {
		snprintf(path, size, "%s/db_%s.json", folder, row->path + strlen("/"));
		file = fopen(path, "re");
	}
	int first = file ? getc(file) : EOF;
	if (first == '{' && ungetc(first, file) == first)
		return file;
	if (file)
		fclose(file);
	return NULL;
}

static void read_answer(struct cluster *cluster, const char *folder, enum endpoint endpoint)
{
	char path[512], chunk[4096];
	struct section_build build = {.cluster = cluster, .now = NOW};
	struct error err = {""};
	FILE *file = open_answer(folder, endpoint, path, sizeof path);
	if (!file && endpoint > ENDPOINT_JOBS) /* not served, or not recorded */
		return;
	struct decoder *decoder = decoder_new(endpoint_table[endpoint].record, &cluster->vocabulary);
	build.built = section_start(endpoint, cluster, NOW);
	decoder_start(decoder, section_take(endpoint), &build);
	size_t len;
	bool ok = file;
	while (ok && (len = fread(chunk, 1, sizeof chunk, file)))
		ok = decoder_feed(decoder, chunk, len, &err);
	ok = ok && decoder_finish(decoder, &err);
	const struct answer *answer = decoder_answer(decoder);
	if (!ok || !answer->has_list || answer->skipped) {
		fprintf(stderr, "%s: %s, %lu records skipped\n", path, file ? err.text : "cannot be opened",
			(unsigned long)answer->skipped);
		exit(EXIT_FAILURE);
	}
	if (*answer->cluster)
		snprintf(cluster->name, sizeof cluster->name, "%s", answer->cluster);
	snprintf(cluster->slurm_version, sizeof cluster->slurm_version, "%s", answer->release);
	section_commit(endpoint, cluster, build.built);
	decoder_free(decoder);
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return EXIT_FAILURE;
	struct cluster cluster;
	struct samples page = {.text = BUF_INIT};
	const struct page_facts facts = {
		.cluster = &cluster, .now = NOW, .per_node = argc > 3 ? PER_NODE_FULL : PER_NODE_DEFAULT};
	uint64_t rows = argc > 3 ? 1000 : 0;
	cluster_init(&cluster);
	cluster_set_job_rows(&cluster, &(struct job_rows_max){{rows, rows, rows}, 1000});
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		read_answer(&cluster, argv[1], (enum endpoint)i);
	cluster_fold(&cluster);
	cluster.controllers_are_sure = true;
	snprintf(cluster.api_version, sizeof cluster.api_version, "%s", argv[2]);
	catalogue_render_slurm(&facts, &page);
	fwrite(page.text.bytes, 1, page.text.len, stdout);
	samples_done(&page);
	cluster_done(&cluster);
	return EXIT_SUCCESS;
}
