#include "page/image.h"

#include "page/sealed.h"
#include "status/status_image.h"

#include <sys/mman.h>

enum { SECTIONS = 6 };

struct header {
	size_t counts[SECTIONS]; /* of each section's items */
	uint64_t sample_count, folded_count;
};

/* What follows the header: the text with a NUL behind it, the index, what the text has no place for, the status. */
static const size_t item_bytes[SECTIONS] = {
	1, sizeof(struct sample_family), sizeof(struct exemplar), sizeof(struct native), sizeof(struct native_bucket),
	1};

int page_image_new(const struct page *page, struct error *err)
{
	const struct samples *samples = &page->samples;
	struct buf status = BUF_INIT;
	status_write(page->status, &status);
	const struct header header = {{samples->text.len + 1, samples->count, samples->exemplar_count,
				       samples->native_count, samples->bucket_count, status.len},
				      samples->sample_count,
				      samples->folded_count};
	const void *sections[SECTIONS] = {samples->text.len ? samples->text.bytes : "",
					  samples->families,
					  samples->exemplars,
					  samples->natives,
					  samples->native_buckets,
					  status.bytes};
	struct text pieces[1 + SECTIONS] = {{(const char *)&header, sizeof header}};
	for (int i = 0; i < SECTIONS; i++)
		pieces[1 + i] = (struct text){sections[i], header.counts[i] * item_bytes[i]};
	int image = sealed_new(pieces, 1 + SECTIONS, err);
	buf_done(&status);
	return image;
}

/* Where each section begins. False: they are not all there. */
static bool find_sections(struct text bytes, const char *ret_sections[SECTIONS])
{
	const struct header *header = (const struct header *)bytes.bytes;
	size_t at = sealed_aligned(sizeof *header);
	if (bytes.len < at)
		return false;
	for (int i = 0; i < SECTIONS; i++) {
		size_t left = at < bytes.len ? bytes.len - at : 0;
		if (header->counts[i] > left / item_bytes[i])
			return false;
		ret_sections[i] = bytes.bytes + at;
		at = sealed_aligned(at + header->counts[i] * item_bytes[i]);
	}
	return header->counts[0] && ret_sections[0][header->counts[0] - 1] == '\0';
}

static struct page *take(struct text bytes)
{
	const struct header *header = (const struct header *)bytes.bytes;
	const char *sections[SECTIONS];
	if (!find_sections(bytes, sections))
		return NULL;
	struct status *status = status_read((struct text){sections[5], header->counts[5]});
	if (!status)
		return NULL;
	struct samples samples = {
		.text = {.bytes = (char *)sections[0], .len = header->counts[0] - 1},
		.families = (struct sample_family *)sections[1],
		.count = header->counts[1],
		.exemplars = (struct exemplar *)sections[2],
		.exemplar_count = header->counts[2],
		.natives = (struct native *)sections[3],
		.native_count = header->counts[3],
		.native_buckets = (struct native_bucket *)sections[4],
		.bucket_count = header->counts[4],
		.sample_count = header->sample_count,
		.folded_count = header->folded_count,
	};
	struct page *page = page_new(&samples, status);
	page->image = bytes;
	return page;
}

struct page *page_image_open(int image, struct error *err)
{
	struct text bytes = sealed_map(image, err);
	struct page *page = bytes.len ? take(bytes) : NULL;
	if (bytes.len && !page) {
		munmap((void *)bytes.bytes, bytes.len);
		error_set(err, "a page whose parts are not all there");
	}
	return page;
}
