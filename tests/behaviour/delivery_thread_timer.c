// SPDX-License-Identifier: MIT
// timer_create with SIGEV_THREAD: the function runs in a thread, signals stay out of it.
#include "t.h"
#include <semaphore.h>
#include <time.h>

static sem_t done;
static volatile int value;

static void notified(union sigval v)
{
	value = v.sival_int;
	KERNEL_MASK(t_view());
	t_setmask(BIT(SIGHUP));
	MASK(BIT(SIGHUP));
	sem_post(&done);
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1));
	struct sigevent event;
	timer_t timer;
	sem_init(&done, 0, 0);
	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = notified;
	event.sigev_value.sival_int = 31;
	EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	MASK(BIT(SIGUSR1));
	for (int i = 0; i < 5; i++) {
		struct itimerspec when = {{0, 0}, {0, 1000000}};
		EQ(timer_settime(timer, 0, &when, NULL), 0);
		while (sem_wait(&done))
			EQ(errno, EINTR);
		EQ(value, 31);
	}
	MASK(BIT(SIGUSR1));
	EQ(timer_delete(timer), 0);
	return 0;
}
