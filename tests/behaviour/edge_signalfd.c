// SPDX-License-Identifier: MIT
// signalfd reads what is blocked and pending, and takes it off the handlers.
#include "t.h"
#include <poll.h>
#include <sys/signalfd.h>

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

int main(void)
{
	t_start();
	struct signalfd_siginfo info;
	uint64_t mask = BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGTERM);
	sigset_t set = t_set(mask);
	t_setmask(mask);
	t_handle(SIGUSR1, handler, 0, 0);
	signal(SIGTERM, SIG_IGN);
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	CHECK(fd >= 0);
	errno = 0;
	EQ(read(fd, &info, sizeof info), -1);
	EQ(errno, EAGAIN);
	int sent[] = {SIGUSR1, SIGTERM, SIGUSR2};
	for (unsigned i = 0; i < 3; i++) {
		raise(sent[i]);
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		EQ(poll(&poll_fd, 1, 1000), 1);
		EQ(read(fd, &info, sizeof info), sizeof info);
		EQ(info.ssi_signo, sent[i]);
	}
	t_setmask(0);
	EQ(runs, 0);
	return 0;
}
