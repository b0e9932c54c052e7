/* HTTP on a loopback address or a unix socket, a thread per connection, as slurmrestd has. */
#pragma once

#include "slurmsim/sim.h"

/* Opens the address "127.0.0.1:PORT" (0: any) or "unix:/path"; its name is put into *ret_name. Ends
 * the process if that fails. Give the name again to open the same address. */
int server_listen(const char *address, char ret_name[128]);

struct server;
struct server *server_start(struct sim *sim, int listener);
void server_stop(struct server *server); /* closes the listener */
