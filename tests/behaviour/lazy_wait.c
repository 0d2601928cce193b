// SPDX-License-Identifier: MIT
// What was blocked and is then waited for by sigwait and its kin, by signalfd or by a poll of it,
// is found there, sent before or after, and no handler runs.
#include "lazy.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

static volatile int runs;
static int early, pending_first;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void send_later(pid_t us)
{
	AWAIT(t_is_asleep(us));
	sigqueue(us, SIGUSR1, (union sigval){.sival_int = 77});
	_exit(0);
}

static void send(void)
{
	if (pending_first)
		EQ(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 77}), 0);
	else
		t_stranger(send_later);
}

static void by_sigwait(const sigset_t *set)
{
	int sig = 0;
	EQ(sigwait(set, &sig), 0);
	EQ(sig, SIGUSR1);
}

static void by_sigwaitinfo(const sigset_t *set)
{
	siginfo_t info;
	EQ(sigwaitinfo(set, &info), SIGUSR1);
	EQ(info.si_value.sival_int, 77);
	EQ(info.si_code, SI_QUEUE);
}

static void by_sigtimedwait(const sigset_t *set)
{
	siginfo_t info;
	struct timespec limit = {60, 0};
	EQ(sigtimedwait(set, &info, &limit), SIGUSR1);
	EQ(info.si_value.sival_int, 77);
}

static void read_from(int fd)
{
	struct signalfd_siginfo info;
	EQ(read(fd, &info, sizeof info), sizeof info);
	EQ(info.ssi_signo, SIGUSR1);
	EQ(info.ssi_int, 77);
}

static void by_read(const sigset_t *set)
{
	int fd = early >= 0 ? early : signalfd(-1, set, 0);
	read_from(fd);
	if (early < 0)
		close(fd);
}

static void by_poll(const sigset_t *set)
{
	int fd = early >= 0 ? early : signalfd(-1, set, 0);
	struct pollfd one = {fd, POLLIN, 0};
	EQ(poll(&one, 1, 60000), 1);
	EQ(one.revents, POLLIN);
	read_from(fd);
	if (early < 0)
		close(fd);
}

static void by_epoll(const sigset_t *set)
{
	int fd = early >= 0 ? early : signalfd(-1, set, 0), poller = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	EQ(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event), 0);
	EQ(epoll_wait(poller, &event, 1, 60000), 1);
	read_from(fd);
	close(poller);
	if (early < 0)
		close(fd);
}

int main(void)
{
	void (*ways[])(const sigset_t *) = {by_sigwait, by_sigwaitinfo, by_sigtimedwait,
	                                    by_read,    by_poll,        by_epoll};
	sigset_t set = t_set(BIT(SIGUSR1));
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (int i = 0; i < 24; i++) {
		early = i % 4 < 2 ? fd : -1;
		pending_first = i % 2;
		t_setmask(BIT(SIGUSR1));
		send();
		ways[i / 4](&set);
		EQ(t_pending(), 0);
		t_setmask(0);
		EQ(runs, 0);
	}
	return 0;
}
