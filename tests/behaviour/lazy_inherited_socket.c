// SPDX-License-Identifier: MIT
// A socket with a time limit that was set before exec: a signal ends a call on it for good, but not
// one that is blocked.
#include "lazy.h"
#include <sys/socket.h>

static volatile int runs;
static int fd;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void helper(pid_t us)
{
	AWAIT(t_is_asleep(us));
	kill(us, SIGUSR1);
	AWAIT(t_pending_of(us) & BIT(SIGUSR1));
	AWAIT(t_is_asleep(us));
	EQ(write(fd, "x", 1), 1);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct timeval most = {60, 0};
	int pair[2];
	char byte;
	if (argc == 1) {
		EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		EQ(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most), 0);
		EQ(dup2(pair[0], 8), 8);
		EQ(dup2(pair[1], 9), 9);
		execl("/proc/self/exe", argv[0], "again", NULL);
		t_fail(__FILE__, __LINE__, "exec");
	}
	t_hot();
	t_handle(SIGUSR1, handler, 0, 0);
	fd = 9;
	t_stranger(helper);
	t_setmask(BIT(SIGUSR1));
	EQ(recv(8, &byte, 1, 0), 1);
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
	return 0;
}
