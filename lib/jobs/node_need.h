/* What a waiting job needs of each of its nodes at least: a node that has less to give is of no use to it.
 *
 * A job may spread its CPUs and GPUs over more nodes than it asks for, unless it limits their number. So only a job of one
 * node needs all of them there; SLURMRESTD.md, "What a job needs of a node". */
#pragma once

#include "base/buf.h"
#include "model/job.h"

struct node_need {
	uint64_t cpus, memory, gpus;
	struct text gpu_type; /* empty: GPUs of any type will do, or of several */
};

/* `cpus`: that the whole job asks for. Borrows from the job. */
struct node_need node_need_of(const struct job *job, uint64_t cpus);

/* As a list of TRES, "cpu=4,mem=8192M,gres/gpu:a100=2", and back. What is read borrows from the text. */
void node_need_write(const struct node_need *need, struct buf *text);
struct node_need node_need_read(struct text text);

/* Different needs, of which none is within another. */
enum { NODE_NEEDS_MAX = 16 };
struct node_needs {
	struct node_need items[NODE_NEEDS_MAX];
	size_t count;
};

/* Beyond NODE_NEEDS_MAX one of them becomes the least of several. Then it fits more nodes than any of these, never fewer. */
void node_needs_add(struct node_needs *needs, const struct node_need *need);
