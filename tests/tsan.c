/* In place of the C library's where ThreadSanitizer looks on. gcc 12's does not know pthread_mutex_clocklock(), so it
 * takes a mutex locked that way for one that nobody has locked. It knows pthread_mutex_timedlock(), which waits by
 * another clock. */
#include <pthread.h>
#include <time.h>

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
	struct timespec now, until;
	clock_gettime(clock, &now);
	clock_gettime(CLOCK_REALTIME, &until);
	long long ns = until.tv_nsec + (deadline->tv_sec - now.tv_sec) * 1000000000ll + deadline->tv_nsec - now.tv_nsec;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	if (until.tv_nsec < 0) {
		until.tv_nsec += 1000000000;
		until.tv_sec--;
	}
	return pthread_mutex_timedlock(mutex, &until);
}
