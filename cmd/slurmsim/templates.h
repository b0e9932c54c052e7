/* The files of templates/, embedded (embed.cmake). */
#pragma once

struct template_file {
	const char *name; /* "26.05-v0.0.45" */
	const char *json;
};

extern const struct template_file template_files[]; /* name NULL at the end */
