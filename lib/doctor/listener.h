/* Which process of this machine is at the other end of a URL? */
#pragma once

/* The process that listens there; 0: it is on another machine, or we may not see it (only root may). */
int listener_of(const char *url);
