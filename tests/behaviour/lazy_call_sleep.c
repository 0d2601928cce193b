// SPDX-License-Identifier: MIT
// Sleeping while a signal comes: undisturbed while it is blocked; ended, with the time that is
// left, when its handler runs.
#include "lazy_call.h"
#include <threads.h>

#define MS 1000000L
static struct timespec left;

// Long where the sleep is to be ended, short where it is to last.
static struct timespec length(void)
{
	return call_ends() ? (struct timespec){30, 0} : (struct timespec){0, 60 * MS};
}

static void check_time(long long began, const struct timespec *rest)
{
	if (call_ends() && rest)
		CHECK(rest->tv_sec >= 1 && rest->tv_sec < 30);
	if (!call_ends())
		CHECK(t_now_ms() - began >= 59);
}

static int by_nanosleep(void)
{
	struct timespec wanted = length();
	long long began = t_now_ms();
	int ret = nanosleep(&wanted, &left), err = errno;
	check_time(began, &left);
	errno = err;
	return ret;
}

static int by_clock_nanosleep(void)
{
	struct timespec wanted = length();
	long long began = t_now_ms();
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &wanted, &left);
	int err = errno;
	check_time(began, &left);
	errno = err;
	return err ? -1 : 0;
}

static int by_clock_nanosleep_until(void)
{
	struct timespec end, wanted = length();
	long long began = t_now_ms();
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += wanted.tv_sec + (end.tv_nsec + wanted.tv_nsec) / 1000000000;
	end.tv_nsec = (end.tv_nsec + wanted.tv_nsec) % 1000000000;
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
	int err = errno;
	check_time(began, NULL);
	errno = err;
	return err ? -1 : 0;
}

static int by_usleep(void)
{
	struct timespec wanted = length();
	long long began = t_now_ms();
	useconds_t us = (useconds_t)(wanted.tv_sec * 1000000 + wanted.tv_nsec / 1000);
	int ret = usleep(us), err = errno;
	check_time(began, NULL);
	errno = err;
	return ret;
}

// Whole seconds, so one case of three has to do.
static int by_sleep(void)
{
	if (call_case == HELD_RESTART || call_case == HELD_DEFAULT)
		return by_usleep();
	unsigned rest = sleep(call_ends() ? 30 : 1);
	errno = rest ? EINTR : 0;
	return rest ? -1 : 0;
}

static int by_thrd_sleep(void)
{
	struct timespec wanted = length();
	long long began = t_now_ms();
	int ret = thrd_sleep(&wanted, &left);
	check_time(began, &left);
	errno = ret == -1 ? EINTR : 0;
	return ret;
}

int main(void)
{
	static const struct call calls[] = {
		{"nanosleep", ENDS, by_nanosleep, NULL, NULL, NULL},
		{"clock_nanosleep", ENDS, by_clock_nanosleep, NULL, NULL, NULL},
		{"clock_nanosleep until", ENDS, by_clock_nanosleep_until, NULL, NULL, NULL},
		{"usleep", ENDS, by_usleep, NULL, NULL, NULL},
		{"sleep", ENDS, by_sleep, NULL, NULL, NULL},
		{"thrd_sleep", ENDS, by_thrd_sleep, NULL, NULL, NULL},
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
