// SPDX-License-Identifier: MIT
// What was held keeps its siginfo: who sent it, with what value, which child and how it ended.
// Real-time signals keep their number and order.
#include <sigzero.h>

#include "t.h"

static siginfo_t last;
static volatile int runs;
static int values[64];

static void handler(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	last = *info;
	if (runs < 64)
		values[runs] = info->si_value.sival_int;
	runs++;
}

static void send_and_leave(void (*send)(void), int sig, int code)
{
	memset(&last, 0, sizeof last);
	runs = 0;
	sigzero_block();
	send();
	while (!sigzero_pending())
		usleep(100);
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	EQ(last.si_signo, sig);
	EQ(last.si_code, code);
	EQ(last.si_errno, 0);
}

static void by_kill(void)
{
	kill(getpid(), SIGUSR1);
}

static void by_raise(void)
{
	raise(SIGUSR1);
}

static void by_queue(void)
{
	EQ(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 4711}), 0);
}

static void by_pthread_queue(void)
{
	EQ(pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 42}), 0);
}

static pid_t child;

static void by_child(void)
{
	child = fork();
	if (child == 0)
		_exit(17);
}

static void standard_signals(void)
{
	send_and_leave(by_kill, SIGUSR1, SI_USER);
	EQ(last.si_pid, getpid());
	EQ(last.si_uid, getuid());
	send_and_leave(by_raise, SIGUSR1, SI_TKILL);
	EQ(last.si_pid, getpid());
	send_and_leave(by_queue, SIGUSR1, SI_QUEUE);
	EQ(last.si_value.sival_int, 4711);
	send_and_leave(by_pthread_queue, SIGUSR1, SI_QUEUE);
	EQ(last.si_value.sival_int, 42);
	send_and_leave(by_child, SIGCHLD, CLD_EXITED);
	EQ(last.si_pid, child);
	EQ(last.si_status, 17);
	EQ(WEXITSTATUS(t_wait(child)), 17);
}

static void realtime(void)
{
	t_handle_info(SIGRTMIN, handler, 0, 0);
	for (int turn = 0; turn < 3; turn++) {
		runs = 0;
		sigzero_block();
		for (int i = 0; i < 20; i++)
			EQ(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}), 0);
		EQ(runs, 0);
		sigzero_unblock();
		EQ(runs, 20);
		for (int i = 0; i < 20; i++)
			EQ(values[i], i);
	}
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, 0, 0);
	t_handle_info(SIGCHLD, handler, 0, 0);
	for (int i = 0; i < 20; i++)
		standard_signals();
	realtime();
	standard_signals();
	MASK(0);
	return 0;
}
