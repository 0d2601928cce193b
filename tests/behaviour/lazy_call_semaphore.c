// SPDX-License-Identifier: MIT
// Waiting for a semaphore while a signal comes. With a time limit it is never restarted.
#include "lazy_call.h"
#include <semaphore.h>

static sem_t *sem;

static void make(void)
{
	EQ(sem_init(sem, 1, 0), 0);
}

static void post(void)
{
	EQ(sem_post(sem), 0);
}

static int by_sem_wait(void)
{
	return sem_wait(sem);
}

static int by_sem_timedwait(void)
{
	struct timespec limit = {.tv_sec = time(NULL) + 60};
	return sem_timedwait(sem, &limit);
}

static int by_sem_clockwait(void)
{
	struct timespec limit;
	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += 60;
	return sem_clockwait(sem, CLOCK_MONOTONIC, &limit);
}

int main(void)
{
	static const struct call calls[] = {
		{"sem_wait", RESTARTS, by_sem_wait, post, make, NULL},
		{"sem_timedwait", ENDS, by_sem_timedwait, post, make, NULL},
		{"sem_clockwait", ENDS, by_sem_clockwait, post, make, NULL},
	};
	t_hot();
	sem = t_share(sizeof *sem);
	CALL_ALL(calls);
	return 0;
}
