#include "model/tres.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* Most are whole numbers without a suffix: strtod would be most of the time that a job takes. */
static bool read_integer(struct text text, double *ret_number)
{
	uint64_t number;
	if (text.len > 15 || !text_to_u64(text, &number)) /* a double holds 15 digits exactly */
		return false;
	*ret_number = (double)number;
	return true;
}

/* How many bytes at its beginning are digits, or `also`. */
static size_t digits_of(struct text text, char also)
{
	size_t len = 0;
	while (len < text.len && ((unsigned char)(text.bytes[len] - '0') < 10 || text.bytes[len] == also))
		len++;
	return len;
}

/* By how much the text from `at` on multiplies; `unit`: there is none. Suffixes are binary, as Slurm means them. 0: no suffix. */
static double multiple_of(struct text text, size_t at, double unit)
{
	static const char suffixes[] = "KMGTPE";
	if (at == text.len)
		return unit;
	const char *suffix = at + 1 == text.len
				     ? memchr(suffixes, toupper((unsigned char)text.bytes[at]), sizeof suffixes - 1)
				     : NULL;
	return suffix ? ldexp(1, 10 * (int)(suffix - suffixes + 1)) : 0;
}

/* "4", "62.50G", "16000M". Memory without a suffix is MiB. */
static bool read_quantity(struct text text, double unit, double *ret_amount)
{
	char number[32];
	if (unit == 1 && read_integer(text, ret_amount))
		return true;
	size_t len = digits_of(text, '.');
	if (!len || len >= sizeof number)
		return false;
	memcpy(number, text.bytes, len);
	number[len] = '\0';
	char *end;
	double multiple = multiple_of(text, len, unit);
	*ret_amount = strtod(number, &end) * multiple;
	return multiple && end == &number[len];
}

static bool next_amount(struct text *rest, struct text *ret_name, double *ret_amount)
{
	struct text entry;
	while (text_next(rest, ',', &entry)) {
		*ret_name = text_cut(&entry, '=');
		double unit = text_equal(*ret_name, TEXT("mem")) ? 0x1p20 : 1;
		if (ret_name->len && read_quantity(entry, unit, ret_amount))
			return true;
	}
	return false;
}

static uint64_t count_of(double amount)
{
	return amount < 0x1p63 ? (uint64_t)llround(amount) : UINT64_C(1) << 63;
}

bool tres_next(struct text *rest, struct tres *ret_tres)
{
	double amount;
	if (!next_amount(rest, &ret_tres->name, &amount))
		return false;
	ret_tres->count = count_of(amount);
	return true;
}

double tres_amount(struct text list, struct text name)
{
	struct text found;
	double amount;
	while (next_amount(&list, &found, &amount))
		if (text_equal(found, name))
			return amount;
	return 0;
}

uint64_t tres_count(struct text list, struct text name)
{
	return count_of(tres_amount(list, name));
}

/* As text_cut, but separators in brackets do not count: "gpu:a100:4(IDX:0,2-3)". */
static struct text cut_outside_brackets(struct text *rest, char separator)
{
	size_t depth = 0, len = 0;
	for (; len < rest->len; len++) {
		char c = rest->bytes[len];
		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth)
			depth--;
		else if (c == separator && !depth)
			break;
	}
	struct text entry = {rest->bytes, len};
	size_t used = len < rest->len ? len + 1 : len;
	rest->bytes += used;
	rest->len -= used;
	return entry;
}

/* "4" or "4K". A type may begin with digits, too: "1g.10gb". */
static bool read_count(struct text word, uint64_t *ret_count)
{
	double number;
	size_t len = digits_of(word, '0');
	double multiple = multiple_of(word, len, 1);
	if (!multiple || !read_integer((struct text){word.bytes, len}, &number))
		return false;
	*ret_count = count_of(number * multiple);
	return true;
}

/* name[:type][:no_consume][:count], each with remarks in brackets behind; the type may be "(null)". Only the last word is a
 * count, as for Slurm: "gpu:4090" is many GPUs, "gpu:4090:8" is 8 of type 4090. */
static bool read_gres(struct text entry, struct gres *ret_gres)
{
	struct text part = cut_outside_brackets(&entry, ':');
	struct gres gres = {.name = text_cut(&part, '('), .count = 1};
	while (entry.len) {
		part = cut_outside_brackets(&entry, ':');
		struct text word = text_cut(&part, '(');
		bool is_count = !entry.len && read_count(word, &gres.count);
		if (!is_count && word.len && !text_equal(word, TEXT("no_consume")))
			gres.type = word;
	}
	*ret_gres = gres;
	return gres.name.len && !text_equal(gres.name, TEXT("N/A"));
}

bool gres_next(struct text *rest, struct gres *ret_gres)
{
	while (rest->len)
		if (read_gres(cut_outside_brackets(rest, ','), ret_gres))
			return true;
	return false;
}

bool gres_next_asked(struct text *rest, struct gres *ret_gres)
{
	struct text entry;
	while (text_next(rest, ',', &entry)) {
		if (!text_starts_with(entry, "gres/") && !text_starts_with(entry, "gres:"))
			continue;
		struct text name = {entry.bytes + 5, entry.len - 5};
		const char *equals = memchr(name.bytes, '=', name.len);
		struct text count = TEXT("");
		if (equals) {
			count = name;
			name = text_cut(&count, '=');
		}
		if (read_gres(name, ret_gres) && (!equals || read_count(count, &ret_gres->count)))
			return true;
	}
	return false;
}

/* Splits "gres/gpu:a100" into name and type; false if the TRES is not a GRES. */
static bool is_gres(struct text tres_name, struct text *ret_name, struct text *ret_type)
{
	if (!text_starts_with(tres_name, "gres/"))
		return false;
	*ret_type = (struct text){tres_name.bytes + 5, tres_name.len - 5};
	*ret_name = text_cut(ret_type, ':');
	return ret_name->len > 0;
}

/* How many of the GRES are listed with a type. */
static uint64_t count_typed(const struct gres *all, unsigned count, struct text name)
{
	uint64_t typed = 0;
	for (unsigned i = 0; i < count; i++)
		if (all[i].type.len && text_equal(name, all[i].name))
			typed += all[i].count;
	return typed;
}

unsigned gres_add(struct gres list[TRES_GRES_MAX], unsigned count, const struct gres *gres)
{
	for (unsigned i = 0; i < count; i++) {
		if (!text_equal(list[i].name, gres->name) || !text_equal(list[i].type, gres->type))
			continue;
		list[i].count += gres->count;
		return count;
	}
	if (count < TRES_GRES_MAX)
		list[count++] = *gres;
	return count;
}

unsigned tres_gres(struct text list, struct gres ret_gres[TRES_GRES_MAX])
{
	struct tres tres;
	unsigned count = 0, kept = 0;
	while (count < TRES_GRES_MAX && tres_next(&list, &tres)) {
		struct gres gres = {.count = tres.count};
		if (is_gres(tres.name, &gres.name, &gres.type))
			count = gres_add(ret_gres, count, &gres);
	}
	for (unsigned i = 0; i < count; i++) {
		if (ret_gres[i].type.len)
			continue;
		uint64_t typed = count_typed(ret_gres, count, ret_gres[i].name);
		ret_gres[i].count -= ret_gres[i].count < typed ? ret_gres[i].count : typed;
	}
	for (unsigned i = 0; i < count; i++)
		if (ret_gres[i].count)
			ret_gres[kept++] = ret_gres[i];
	return kept;
}

uint64_t tres_gpus(struct text list)
{
	struct gres gres[TRES_GRES_MAX];
	uint64_t gpus = 0;
	for (unsigned i = tres_gres(list, gres); i > 0; i--)
		gpus += text_equal(gres[i - 1].name, TEXT("gpu")) ? gres[i - 1].count : 0;
	return gpus;
}
