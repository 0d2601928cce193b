// SPDX-License-Identifier: MIT
// read: EINTR without SA_RESTART, restarted with it, never disturbed while blocked.
#include "t.h"
#include <sys/time.h>

static int pipe_fd[2];
static volatile int runs, feed;

static void handler(int sig)
{
	(void)sig;
	if (++runs == 2 && feed)
		EQ(write(pipe_fd[1], "x", 1), 1);
}

static ssize_t read_under_timer(int *err)
{
	char byte;
	struct itimerval twice = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}};
	runs = 0;
	setitimer(ITIMER_REAL, &twice, NULL);
	errno = 0;
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
	for (int i = 0; i < 3; i++) {
		feed = 0;
		t_handle(SIGALRM, handler, 0, 0);
		EQ(read_under_timer(&err), -1);
		EQ(err, EINTR);
		CHECK(runs >= 1);
		feed = 1;
		t_handle(SIGALRM, handler, SA_RESTART, 0);
		EQ(read_under_timer(&err), 1);
		EQ(err, 0);
		CHECK(runs >= 2);
	}
	// sleep and pause end with EINTR whatever the flag.
	t_handle(SIGALRM, handler, SA_RESTART, 0);
	struct itimerval once = {{0, 0}, {0, 10000}};
	setitimer(ITIMER_REAL, &once, NULL);
	errno = 0;
	EQ(pause(), -1);
	EQ(errno, EINTR);
	setitimer(ITIMER_REAL, &once, NULL);
	struct timespec late = {20, 0};
	errno = 0;
	EQ(nanosleep(&late, NULL), -1);
	EQ(errno, EINTR);

	t_setmask(BIT(SIGALRM));
	runs = 0;
	setitimer(ITIMER_REAL, &once, NULL);
	struct timespec longer = {0, 30000000};
	EQ(nanosleep(&longer, NULL), 0);
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGALRM));
	t_setmask(0);
	EQ(runs, 1);
	return 0;
}
