// SPDX-License-Identifier: MIT
// A signal during an interruptible sleep in a section: no handler runs, the signal is there at the
// end. A call that can be restarted goes on; the others end with EINTR, as on FreeBSD. Where
// sections block for real nothing is disturbed at all.
#include <sigzero.h>

#include <poll.h>
#include <sys/time.h>
#include <time.h>

#include "t.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void alarm_in_ms(int ms)
{
	struct itimerval soon = {{0, 0}, {0, ms * 1000}};

	EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

static int by_nanosleep(void)
{
	struct timespec time = {0, 60000000};

	return nanosleep(&time, NULL);
}

static int by_poll(void)
{
	return poll(NULL, 0, 60);
}

static void in_section_with_alarm(int ms)
{
	runs = 0;
	do {
		if (sigzero_blocked())
			sigzero_unblock();
		sigzero_block();
		runs = 0;
		alarm_in_ms(ms);
	} while (sigzero_pending()); // too early, on a busy machine
}

static void leave(void)
{
	while (!sigzero_pending())
		;
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	EQ(sigzero_blocked(), 0);
}

// On a busy machine the signal may come before the sleep: then it sleeps on to its end.
static int sleep_until_signal(int (*by)(void))
{
	int result = 0;

	for (int i = 0; i < 20 && result == 0; i++) {
		in_section_with_alarm(20);
		errno = 0;
		result = by();
		if (sigzero_slow)
			break;
	}
	return result;
}

static void is_interrupted(int (*by)(void))
{
	int result = sleep_until_signal(by);

	if (sigzero_slow) {
		EQ(result, 0);
	} else {
		EQ(result, -1);
		EQ(errno, EINTR);
		EQ(sigzero_pending(), 1);
		EQ(by_nanosleep(), 0); // the signal that is held already disturbs no more
	}
	leave();
}

static int ends[2];

static void *write_later(void *unused)
{
	usleep(60000);
	EQ(write(ends[1], "x", 1), 1);
	return unused;
}

static void is_restarted(void)
{
	uint64_t all = ~LIBC_OWN;
	pthread_t thread;
	char c;

	EQ(pipe(ends), 0);
	uint64_t before = t_setmask(all);
	EQ(pthread_create(&thread, NULL, write_later, NULL), 0);
	t_setmask(before);
	in_section_with_alarm(20);
	EQ(read(ends[0], &c, 1), 1);
	leave();
	EQ(pthread_join(thread, NULL), 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	t_start();
	t_handle(SIGALRM, handler, 0, 0);
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	is_interrupted(by_nanosleep);
	is_interrupted(by_poll);
	is_restarted();
	MASK(0);
	return 0;
}
