/* The open file: whose it is, whether it is whole, and the statements that write to it. */
#pragma once

#include "store/lease.h"
#include "store/place.h"
#include "store/schema.h"
#include "store/store.h"

/* What is wrong with a file. */
enum fault {
	FAULT_NONE,
	FAULT_PASSING, /* it may be right another time or in other hands: not to be touched */
	FAULT_DAMAGED,
	FAULT_FOREIGN, /* whole, but not ours */
};

/* What becomes of PATH.copy. */
struct copy {
	enum store_copy what;
	struct error story;
};

struct file {
	char *path; /* without symbolic links; NULL: none is open */
	int lease;  /* an open file; -1: none */
	bool is_elsewhere; /* another process has it */
	struct place_id id;
	struct db *db;
	bool is_new; /* nothing was in it */
	struct buf cluster; /* whose it is; empty if it does not say */
	struct sqlite3_stmt *insert[TABLES], *delete[TABLES];
};

/* Opens or makes the file once we have its lease, locks it, checks and migrates it. After a fault *err says which one and
 * the file is still to be closed. With `ret_copy` PATH.copy goes before it, if that was written later and is whole. */
enum fault file_open(struct file *file, const char *path, bool no_wal, struct copy *ret_copy, struct error *err);

enum fault file_fault(const struct file *file, struct error *err); /* so far; *err is set if there is one */
bool file_is_there(const struct file *file); /* nobody removed or replaced it */
void file_close(struct file *file, bool checkpoint);

/* Closes it; one that is damaged or foreign is renamed, and *err continued with where to. True: it was. */
bool file_dispose(struct file *file, enum fault fault, struct error *err);
