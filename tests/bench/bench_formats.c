/* What each format of a page of 100,000 series costs to make, also compressed at several levels of zlib, and of what a
 * tenant sees. Beside each is
 * the text that the poller makes, which is the cost when nobody asks. The benchmark also measures what memory editions
 * leave behind.
 *
 *   bench_formats [--series N]
 *
 * Exits with 1 when a format takes more than four times what the text does, or memory grows from edition to edition. */
#include "metrics/exposition.h"
#include "metrics/scoped_samples.h"
#include "page/board.h"
#include "page/edition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SERIES = 100000, TURNS = 5, EDITIONS = 100, NATIVES = 40 };
static const double ratio_max = 4, growth_max = 1.2;

static const double bounds[] = {1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static uint64_t draw(uint64_t below)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

/* A family of users' gauges or nodes' counters, as in METRICS.md; a job in each tenth of the counters. */
static void add_plain(struct exposition *out, uint64_t series, bool is_counter)
{
	static const char *const states[] = {"completed", "failed", "cancelled", "timeout", "node_fail"};
	char name[32];
	for (uint64_t i = 0; i < series; i++) {
		exposition_base(out);
		snprintf(name, sizeof name, "%s%05d", is_counter ? "user" : "node", (int)(i / 5));
		exposition_base_label(out, is_counter ? "user" : "node", text_of(name));
		if (is_counter)
			exposition_base_label(out, "account", text_of("project-of-users"));
		exposition_label(out, "state", text_of(states[i % 5]));
		exposition_integer(out, draw(is_counter ? 100000 : 3));
		const struct exemplar exemplar = {.job = 1000000 + (uint32_t)i, .value = 1, .time = 1800000000};
		if (is_counter && i % 10 == 0)
			exposition_exemplar(out, &exemplar);
	}
}

static void add_histogram(struct exposition *out, unsigned queue)
{
	struct histogram histogram = {.bounds = bounds, .bound_count = 14, .sum = 123456.5};
	struct exemplar last[15];
	struct native_bucket natives[NATIVES];
	char name[32];
	for (int i = 0; i < 15; i++) {
		histogram.buckets[i] = draw(10000);
		last[i] = (struct exemplar){.job = 1000 + queue, .value = i < 14 ? bounds[i] : 3e6, .time = 1800000000};
	}
	for (int i = 0; i < NATIVES; i++)
		natives[i] = (struct native_bucket){i * 2, draw(10000)};
	exposition_base(out);
	snprintf(name, sizeof name, "part%03u", queue);
	exposition_base_label(out, "partition", text_of(name));
	exposition_base_label(out, "qos", TEXT("normal"));
	exposition_histogram(out, &histogram, last);
	exposition_native(out, natives, NATIVES);
}

/* A sixth of the series are histograms', a third counters. */
static struct samples make_page(uint64_t series)
{
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page};
	char name[64];
	for (uint32_t family = 0; family < 30; family++) {
		enum family_type type = family % 6 == 5 ? HISTOGRAM : family % 6 < 3 ? GAUGE : COUNTER;
		snprintf(name, sizeof name, "slurm_family_%02u_of_things_seconds%s", family,
			 type == COUNTER ? "_total" : "");
		exposition_family(&out, name, type, "What the family is about, in a sentence of usual length.");
		out.family.order = family;
		out.family.owners = 1u << SCOPE_ACCOUNT | 1u << SCOPE_USER | 1u << SCOPE_PARTITION;
		exposition_created(&out, 1700000000);
		for (unsigned queue = 0; type == HISTOGRAM && queue < series / 30 / 17; queue++)
			add_histogram(&out, queue);
		if (type != HISTOGRAM)
			add_plain(&out, series / 30, type == COUNTER);
	}
	exposition_done(&out);
	return page;
}

static double time_page(uint64_t series)
{
	double begin = now_ms();
	struct samples page = make_page(series);
	double took = now_ms() - begin;
	samples_done(&page);
	return took;
}

static double time_format(enum format format, const struct samples *page, struct buf *to)
{
	const struct format_options options = {.format = format};
	double begin = now_ms();
	buf_clear(to);
	format_write(&options, &page, 1, to, NULL);
	return now_ms() - begin;
}

/* Somebody who has a user in a hundred, where the labels of all have to be looked at. */
static double time_scope(const struct samples *page, uint64_t series, size_t *ret_len)
{
	struct scope scope;
	struct samples scoped;
	char name[32];
	scope_init(&scope);
	for (uint64_t i = 0; i < series / 30 / 5; i += 100) {
		snprintf(name, sizeof name, "user%05d", (int)i);
		scope_add(&scope, SCOPE_USER, text_of(name));
	}
	double begin = now_ms();
	scoped_samples(page, &scope, &scoped);
	double took = now_ms() - begin;
	*ret_len = scoped.text.len;
	samples_done(&scoped);
	scope_done(&scope);
	return took;
}

static double time_gzip(int level, const struct buf *from, uLong *ret_len)
{
	double begin = now_ms();
	z_stream stream = {0};
	uLong bound = compressBound(from->len) + 64;
	Bytef *to = malloc(bound);
	if (!to || deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	stream.next_in = (Bytef *)from->bytes;
	stream.avail_in = (uInt)from->len;
	stream.next_out = to;
	stream.avail_out = (uInt)bound;
	deflate(&stream, Z_FINISH);
	*ret_len = stream.total_out;
	deflateEnd(&stream);
	free(to);
	return now_ms() - begin;
}

static void keep_best(double *best, double took)
{
	if (took < *best || *best == 0)
		*best = took;
}

static bool compare(uint64_t series)
{
	static const int levels[] = {1, 3, 6};
	double text = 0, scope = 0, format[FORMATS] = {0}, packed[FORMATS][3] = {{0}};
	uLong bytes[FORMATS][3];
	size_t whole[FORMATS], scope_len;
	bool ok = true;
	struct samples page = make_page(series);
	struct buf to = BUF_INIT;
	for (int turn = 0; turn < TURNS; turn++) {
		keep_best(&text, time_page(series));
		keep_best(&scope, time_scope(&page, series, &scope_len));
		for (int f = 0; f < FORMATS; f++) {
			keep_best(&format[f], time_format((enum format)f, &page, &to));
			whole[f] = to.len;
			for (int level = 0; level < 3; level++)
				keep_best(&packed[f][level], time_gzip(levels[level], &to, &bytes[f][level]));
		}
	}
	printf("%" PRIu64 " series; the text as the poller makes it: %.1f ms, %.1f MB\n", series, text,
	       (double)page.text.len / 1e6);
	for (int f = 0; f < FORMATS; f++) {
		printf("%-12s %6.1f ms, %.2f of that; %5.2f MB; gzip", format_names[f], format[f], format[f] / text,
		       (double)whole[f] / 1e6);
		for (int level = 0; level < 3; level++)
			printf("  -%d %6.1f ms, %.2f MB", levels[level], packed[f][level],
			       (double)bytes[f][level] / 1e6);
		printf("\n");
		ok = ok && format[f] <= ratio_max * text;
	}
	printf("a tenant's   %6.1f ms, %.2f of that; %5.2f MB\n", scope, scope / text, (double)scope_len / 1e6);
	ok = ok && scope <= ratio_max * text;
	buf_done(&to);
	samples_done(&page);
	return ok;
}

static double resident_mb(void)
{
	long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");
	if (!statm || fscanf(statm, "%*d %ld", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void scrape_all(struct page_board *board)
{
	struct error err;
	struct edition *edition = page_board_borrow_edition(board);
	for (int format = 0; format < FORMATS; format++)
		for (int gzip = 0; gzip < 2; gzip++) {
			const struct rendition_options options = {.format.format = (enum format)format,
								  .is_gzip = gzip};
			rendition_release(edition_render(edition, &options, UINT64_MAX, &err));
		}
	edition_release(edition);
}

/* Each is scraped in all formats, and replaced by the next. */
static bool stays_bounded(uint64_t series)
{
	struct page_board board;
	struct page_slot slot;
	double early = 0, late = 0;
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	for (int i = 0; i < EDITIONS; i++) {
		struct samples samples = make_page(series);
		page_slot_publish(&slot, page_new(&samples, status_new(0)));
		scrape_all(&board);
		late = resident_mb();
		early = i == EDITIONS / 10 ? late : early;
	}
	page_slot_done(&slot);
	page_board_done(&board);
	printf("%d editions, each in all formats: %.0f MB resident after a tenth of them, %.0f MB after all\n",
	       EDITIONS, early, late);
	return late <= growth_max * early;
}

int main(int argc, char **argv)
{
	uint64_t series = argc == 3 && strcmp(argv[1], "--series") == 0 ? strtoull(argv[2], NULL, 10) : SERIES;
	bool is_fast = compare(series), is_bounded = stays_bounded(series / 10);
	printf("at most: %.0f times the text, %.1f times the memory\n", ratio_max, growth_max);
	return is_fast && is_bounded ? 0 : 1;
}
