#include "poll/poller_state.h"

#include "base/clock.h"

void poller_note_news(struct poller *poller)
{
	if (!poller->is_page_old)
		poller->news_since_ns = clock_monotonic_ns();
	poller->is_page_old = true;
}
