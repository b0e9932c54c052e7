/* In place of the C library's where ThreadSanitizer looks on. gcc 12's does not know the calls that wait by a clock of the
 * caller's choice. It takes a mutex from pthread_mutex_clocklock() for one that nobody has locked. It takes a thread that
 * pthread_clockjoin_np() has joined for one that nobody has waited for. It knows the calls that wait by the time of day. */
#include <pthread.h>
#include <time.h>

static struct timespec time_of_day(clockid_t clock, const struct timespec *deadline)
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
	return until;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
	struct timespec until = time_of_day(clock, deadline);
	return pthread_mutex_timedlock(mutex, &until);
}

int pthread_clockjoin_np(pthread_t thread, void **ret_result, clockid_t clock, const struct timespec *deadline)
{
	struct timespec until = time_of_day(clock, deadline);
	return pthread_timedjoin_np(thread, ret_result, &until);
}
