// SPDX-License-Identifier: MIT
// SIGIO from a descriptor while it is blocked: with siginfo of the descriptor if a signal was
// chosen by F_SETSIG, and by the kernel's own if not.
#include "lazy.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

static volatile int runs;
static siginfo_t last;
static int pair[2];

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static void check(int sig, int code)
{
	char byte;
	runs = 0;
	t_handle_info(sig, handler, 0, 0);
	t_setmask(BIT(sig));
	EQ(write(pair[1], "x", 1), 1);
	AWAIT(t_kernel_pending() & BIT(sig));
	EQ(runs, 0);
	EQ(t_pending(), BIT(sig));
	t_setmask(0);
	EQ(runs, 1);
	EQ(last.si_code, code);
	if (code != SI_KERNEL) {
		EQ(last.si_fd, pair[0]);
		CHECK(last.si_band & POLLIN);
	}
	EQ(read(pair[0], &byte, 1), 1);
}

int main(void)
{
	struct f_owner_ex thread = {F_OWNER_TID, 0};
	t_hot();
	EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	for (int i = 0; i < 10; i++) {
		EQ(fcntl(pair[0], F_SETOWN, getpid()), 0);
		EQ(fcntl(pair[0], F_SETFL, O_ASYNC), 0);
		EQ(fcntl(pair[0], F_SETSIG, 0), 0);
		check(SIGIO, SI_KERNEL);
		EQ(fcntl(pair[0], F_SETSIG, SIGIO), 0);
		check(SIGIO, POLL_IN);
		EQ(fcntl(pair[0], F_SETSIG, SIGUSR2), 0);
		check(SIGUSR2, POLL_IN);
		thread.pid = gettid();
		EQ(fcntl(pair[0], F_SETOWN_EX, &thread), 0);
		check(SIGUSR2, POLL_IN);
	}
	return 0;
}
