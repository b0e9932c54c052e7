/* The open file: whose it is, whether it is whole, and the statements that write to it. Of one thread. */
#pragma once

#include "store/lease.h"
#include "store/path.h"
#include "store/schema.h"
#include "store/store.h"

/* What is wrong with a file. */
enum fault {
	FAULT_NONE,
	FAULT_PASSING, /* it may work later or for another process or release: the file is left alone */
	FAULT_DAMAGED, /* it is set aside */
	FAULT_NAMES, /* its names are hashed otherwise: it is removed */
	FAULT_FOREIGN, /* it is whole, but another program's or cluster's: it is set aside */
};

/* What becomes of PATH.copy. */
struct copy {
	enum store_copy what;
	struct error story;
};

struct file {
	char *path; /* without symbolic links; NULL: none is open */
	int lease; /* an open file; -1: none */
	bool is_elsewhere; /* another process has it */
	struct file_id id;
	struct db *db;
	bool is_new; /* nothing was in it */
	const char *wanted_names; /* borrowed: how names are hashed; "": not at all */
	struct buf names; /* likewise, of what is in it */
	struct buf cluster; /* the cluster that it belongs to; empty if it does not say */
	struct sqlite3_stmt *insert[TABLES], *delete[TABLES];
};

/* Takes the lease, then opens or makes the file, locks, checks and migrates it. `no_wal`: uses a rollback journal. After a
 * fault *err says what is wrong, and the file is still to be closed. With `ret_copy`, PATH.copy takes the file's place if
 * it was written later and is whole. Borrows `names`, which says how names are hashed. */
enum fault file_open(struct file *file, const char *path, const char *names, bool no_wal, struct copy *ret_copy,
		     struct error *err);

enum fault file_fault(const struct file *file, struct error *err); /* the first so far; sets *err if there is one */
bool file_is_there(const struct file *file); /* false: somebody removed or replaced it */
void file_close(struct file *file, bool checkpoint);

/* Closes the file. Renames one that is damaged or foreign, adds to *err where it is now, and returns true. Removes one
 * whose names are hashed otherwise. */
bool file_dispose(struct file *file, enum fault fault, struct error *err);
