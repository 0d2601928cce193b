// SPDX-License-Identifier: MIT
// A signal that comes while it is blocked stays pending, shows, and is delivered once, with
// the siginfo it came with, however it was sent.
#include "lazy.h"

static volatile int runs;
static siginfo_t last;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	EQ(sig, SIGUSR1);
	last = *info;
	runs++;
}

static pid_t sender;
static union sigval value = {.sival_ptr = (void *)0x123456789abcdef0};

static void by_kill(void)
{
	kill(getpid(), SIGUSR1);
}

static void by_raise(void)
{
	raise(SIGUSR1);
}

static void by_pthread_kill(void)
{
	pthread_kill(pthread_self(), SIGUSR1);
}

static void by_tgkill(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static void by_tkill(void)
{
	t_syscall(SYS_tkill, gettid(), SIGUSR1, 0, 0);
}

static void by_sigqueue(void)
{
	sigqueue(getpid(), SIGUSR1, value);
}

static void by_pthread_sigqueue(void)
{
	pthread_sigqueue(pthread_self(), SIGUSR1, value);
}

static void by_raw_queue(void)
{
	siginfo_t info = {.si_signo = SIGUSR1, .si_code = -77};
	info.si_pid = 4711;
	info.si_uid = 815;
	info.si_value = value;
	t_syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, (long)&info, 0);
}

static void in_child(void (*send)(pid_t))
{
	pid_t us = getpid(), pid = fork();
	if (pid == 0) {
		send(us);
		_exit(0);
	}
	EQ(t_wait(pid), 0);
	if (!sender)
		sender = pid;
}

static void kill_us(pid_t us)
{
	kill(us, SIGUSR1);
}

static void kill_group(pid_t us)
{
	signal(SIGUSR1, SIG_IGN);
	killpg(getpgid(us), SIGUSR1);
}

static void queue_us(pid_t us)
{
	sigqueue(us, SIGUSR1, value);
}

static void kill_thread(pid_t us)
{
	syscall(SYS_tgkill, us, us, SIGUSR1);
}

static void child_kill(void)
{
	in_child(kill_us);
}

static void child_kill_group(void)
{
	in_child(kill_group);
}

static void child_queue(void)
{
	in_child(queue_us);
}

static void child_tgkill(void)
{
	in_child(kill_thread);
}

static const struct {
	void (*send)(void);
	int code, by_child, has_value;
} ways[] = {
	{by_kill, SI_USER, 0, 0},      {by_raise, SI_TKILL, 0, 0},
	{by_pthread_kill, SI_TKILL, 0, 0}, {by_tgkill, SI_TKILL, 0, 0},
	{by_tkill, SI_TKILL, 0, 0},    {by_sigqueue, SI_QUEUE, 0, 1},
	{by_pthread_sigqueue, SI_QUEUE, 0, 1}, {by_raw_queue, -77, 0, 1},
	{child_kill, SI_USER, 1, 0},   {child_kill_group, SI_USER, 1, 0},
	{child_queue, SI_QUEUE, 1, 1}, {child_tgkill, SI_TKILL, 1, 0},
};

static void check_info(int i)
{
	EQ(last.si_signo, SIGUSR1);
	EQ(last.si_errno, 0);
	EQ(last.si_code, ways[i].code);
	if (ways[i].code == -77) {
		EQ(last.si_pid, 4711);
		EQ(last.si_uid, 815);
	} else {
		EQ(last.si_pid, ways[i].by_child ? sender : getpid());
		EQ(last.si_uid, getuid());
	}
	if (ways[i].has_value)
		CHECK(last.si_value.sival_ptr == value.sival_ptr);
}

static void check(int i, int times)
{
	runs = 0;
	sender = 0; // the first one
	memset(&last, 0, sizeof last);
	t_setmask(BIT(SIGUSR1) | BIT(SIGHUP));
	for (int n = 0; n < times; n++)
		ways[i].send();
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGUSR1));
	EQ(t_kernel_pending(), BIT(SIGUSR1));
	t_setmask(BIT(SIGUSR1) | BIT(SIGTERM));
	t_setmask(BIT(SIGUSR1));
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGUSR1));
	t_setmask(0);
	EQ(runs, 1);
	check_info(i);
	EQ(t_pending(), 0);
	MASK(0);
}

int main(void)
{
	int flags[] = {0, SA_RESTART};
	t_hot();
	EQ(setpgid(0, 0) == 0 || getpgrp() == getpid(), 1);
	for (int f = 0; f < 2; f++) {
		t_handle_info(SIGUSR1, handler, flags[f], 0);
		for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++) {
			check(i, 1);
			check(i, 2);
		}
	}
	return 0;
}
