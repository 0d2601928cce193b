// SPDX-License-Identifier: MIT
// siginterrupt: whether a read goes on after the handler, also for a later signal().
#include "t.h"
#include <sys/time.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static volatile int runs, feed;
static int pipe_fd[2];

static void handler(int sig)
{
	(void)sig;
	if (++runs == 2 && feed)
		EQ(write(pipe_fd[1], "x", 1), 1);
}

static ssize_t interrupted_read(int restarts, int *err)
{
	char byte;
	struct itimerval twice = {{0, 20000}, {0, 20000}}, off = {{0, 0}, {0, 0}};
	runs = 0;
	feed = restarts;
	setitimer(ITIMER_REAL, &twice, NULL);
	ssize_t n = read(pipe_fd[0], &byte, 1);
	*err = errno;
	setitimer(ITIMER_REAL, &off, NULL);
	return n;
}

int main(void)
{
	int err;
	t_start();
	EQ(pipe(pipe_fd), 0);
	CHECK(signal(SIGALRM, handler) == SIG_DFL);
	EQ(interrupted_read(1, &err), 1);

	EQ(siginterrupt(SIGALRM, 1), 0);
	EQ(interrupted_read(0, &err), -1);
	EQ(err, EINTR);
	// signal() remembers it.
	CHECK(signal(SIGALRM, handler) == handler);
	EQ(interrupted_read(0, &err), -1);
	EQ(err, EINTR);

	EQ(siginterrupt(SIGALRM, 0), 0);
	EQ(interrupted_read(1, &err), 1);
	CHECK(signal(SIGALRM, handler) == handler);
	EQ(interrupted_read(1, &err), 1);
	errno = 0;
	EQ(siginterrupt(0, 1), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(siginterrupt(SIGKILL, 1), -1);
	EQ(errno, EINVAL);
	return 0;
}
