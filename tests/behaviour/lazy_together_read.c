// SPDX-License-Identifier: MIT
// A blocked signal and an open one come at one moment into a read: it ends with EINTR or goes
// on as the open one's handler wants it.
#include "lazy.h"

static struct shared {
	volatile int ready, runs, held_runs;
} *shared;
static int ends[2];

static void handler(int sig)
{
	(void)sig;
	shared->runs++;
}

static void held(int sig)
{
	(void)sig;
	shared->held_runs++;
}

static void subject(int open, int blocked, int flags)
{
	char byte;
	t_handle(open, handler, flags, 0);
	t_handle(blocked, held, 0, BIT(SIGTERM));
	t_setmask(BIT(blocked));
	shared->ready = 1;
	errno = 0;
	ssize_t n = read(ends[0], &byte, 1);
	EQ(n, flags & SA_RESTART ? 1 : -1);
	EQ(errno, flags & SA_RESTART ? 0 : EINTR);
	EQ(shared->runs, 1);
	EQ(shared->held_runs, 0);
	EQ(t_pending(), BIT(blocked));
	t_setmask(0);
	EQ(shared->held_runs, 1);
	_exit(0);
}

static void check(int open, int blocked, int flags)
{
	const int both[] = {blocked, open};
	memset((void *)shared, 0, sizeof *shared);
	EQ(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0)
		subject(open, blocked, flags);
	AWAIT(shared->ready && t_is_asleep(pid));
	t_send_together(pid, both, 2);
	AWAIT(shared->runs);
	if (flags & SA_RESTART) {
		AWAIT(t_is_asleep(pid));
		EQ(write(ends[1], "x", 1), 1);
	}
	EQ(t_wait(pid), 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	t_hot();
	shared = t_share(sizeof *shared);
	for (int i = 0; i < 5; i++) {
		check(SIGUSR1, SIGALRM, 0);
		check(SIGALRM, SIGUSR1, 0);
		check(SIGUSR1, SIGALRM, SA_RESTART);
		check(SIGALRM, SIGUSR1, SA_RESTART);
	}
	return 0;
}
