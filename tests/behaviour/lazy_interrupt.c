// SPDX-License-Identifier: MIT
// Whether a call is restarted follows siginterrupt and the flags last set, which are what a
// query tells.
#include "lazy.h"
#include <sys/time.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int ends[2];
static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	if (++runs == 2)
		EQ(write(ends[1], "x", 1), 1);
}

static void expect(int restarted)
{
	struct itimerval twice = {{0, 4000}, {0, 4000}}, off = {{0, 0}, {0, 0}};
	struct sigaction act;
	char byte;
	EQ(sigaction(SIGALRM, NULL, &act), 0);
	EQ((act.sa_flags & SA_RESTART) != 0, restarted);
	CHECK(act.sa_handler == handler);
	runs = 0;
	t_setmask(BIT(SIGALRM) | BIT(SIGHUP));
	t_setmask(0);
	setitimer(ITIMER_REAL, &twice, NULL);
	errno = 0;
	ssize_t n = read(ends[0], &byte, 1);
	int err = errno;
	setitimer(ITIMER_REAL, &off, NULL);
	EQ(n, restarted ? 1 : -1);
	EQ(err, restarted ? 0 : EINTR);
	if (runs >= 2 && !restarted)
		EQ(read(ends[0], &byte, 1), 1);
}

int main(void)
{
	t_hot();
	EQ(pipe(ends), 0);
	for (int i = 0; i < 5; i++) {
		t_handle(SIGALRM, handler, 0, 0);
		expect(0);
		EQ(siginterrupt(SIGALRM, 0), 0);
		expect(1);
		EQ(siginterrupt(SIGALRM, 1), 0);
		expect(0);
		signal(SIGALRM, handler);
		expect(0);
		t_handle(SIGALRM, handler, SA_RESTART, 0);
		expect(1);
		t_handle(SIGALRM, handler, SA_ONSTACK, 0);
		expect(0);
		EQ(siginterrupt(SIGALRM, 0), 0);
		signal(SIGALRM, handler);
		expect(1);
	}
	return 0;
}
