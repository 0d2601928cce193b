// SPDX-License-Identifier: MIT
// A thread that waits for a signal, by sigwait, sigtimedwait or signalfd, gets what is sent to
// the process while all others block it.
#include "lazy.h"
#include <poll.h>
#include <stdatomic.h>
#include <sys/signalfd.h>

static volatile int taken, last, ready, way;
static atomic_int settled;
static int descriptor;

static void take(const sigset_t *set)
{
	siginfo_t info;
	struct signalfd_siginfo from;
	int sig = 0;
	if (way == 0) {
		EQ(sigwait(set, &sig), 0);
	} else if (way == 1) {
		struct timespec limit = {60, 0};
		sig = sigtimedwait(set, &info, &limit);
		last = info.si_value.sival_int;
	} else {
		struct pollfd one = {descriptor, POLLIN, 0};
		if (way == 3)
			EQ(poll(&one, 1, 60000), 1);
		EQ(read(descriptor, &from, sizeof from), sizeof from);
		sig = (int)from.ssi_signo;
		last = from.ssi_int;
	}
	EQ(sig, SIGUSR1);
}

static void *body(void *arg)
{
	sigset_t set = t_set(BIT(SIGUSR1));
	ready = 1;
	for (;;) {
		take(&set);
		if (last == -1)
			return arg;
		taken++;
	}
}

static void *bystander(void *arg)
{
	t_settle();
	settled++;
	t_setmask(BIT(SIGUSR1));
	while (!*(volatile int *)arg) {
		t_setmask(BIT(SIGUSR1) | BIT(SIGHUP));
		t_setmask(BIT(SIGUSR1));
		t_pause_ms(1);
	}
	return NULL;
}

static void check(void)
{
	pthread_t thread, others[3];
	volatile int stop = 0;
	taken = last = ready = settled = 0;
	t_setmask(BIT(SIGUSR1));
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	for (int i = 0; i < 3; i++)
		EQ(pthread_create(&others[i], NULL, bystander, (void *)&stop), 0);
	AWAIT(ready && settled == 3);
	for (int i = 1; i <= 30; i++) {
		if (way == 0)
			EQ(kill(getpid(), SIGUSR1), 0);
		else
			EQ(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = i}), 0);
		AWAIT(taken == i);
		if (way)
			EQ(last, i);
		t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
		t_setmask(BIT(SIGUSR1));
	}
	last = -1;
	EQ(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = -1}), 0);
	EQ(pthread_join(thread, NULL), 0);
	stop = 1;
	for (int i = 0; i < 3; i++)
		EQ(pthread_join(others[i], NULL), 0);
	EQ(t_pending(), 0);
	t_setmask(0);
}

int main(void)
{
	sigset_t set = t_set(BIT(SIGUSR1));
	t_hot();
	descriptor = signalfd(-1, &set, SFD_CLOEXEC);
	CHECK(descriptor >= 0);
	for (way = 0; way < 4; way++)
		check();
	return 0;
}
