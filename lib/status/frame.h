/* What all pages for people share: head, navigation, verdicts, foot. */
#pragma once

#include "status/findings.h"
#include "status/pages.h"

void frame_begin(const struct status_site *site, const char *title, struct buf *out);

/* "cluster=NAME", quoted for a link. */
void frame_query(const char *cluster, struct buf *out);
void frame_end(const struct status_site *site, struct buf *out);

/* Begins a part of the page with its heading. The caller ends it with </section>. */
void frame_section(const char *id, const char *title, struct buf *out);

/* Whose verdict it is ("The cluster"), and how it is if nobody can tell and if nothing is wrong. */
struct frame_words {
	const char *whom, *unknown, *well;
	const char *looked_at; /* said where nothing is wrong; NULL: all that there is */
};

/* What was found, under a heading that says how it is. */
void frame_verdict(const struct findings *findings, const struct frame_words *words, struct buf *out);

/* A word with its sign, such as "✓ well". */
void frame_sign(enum severity severity, const char *word, struct buf *out);
