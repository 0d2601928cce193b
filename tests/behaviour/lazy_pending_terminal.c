// SPDX-License-Identifier: MIT
// ^C and ^\ on the terminal while they are blocked: the line that is being read is read on.
#include "lazy.h"
#include <fcntl.h>
#include <sys/ioctl.h>

static volatile int runs;
static siginfo_t last;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static void user(int terminal, pid_t us, const char *key, int sig)
{
	AWAIT(t_is_asleep(us));
	EQ(write(terminal, key, 1), 1);
	AWAIT(t_pending_of(us) & BIT(sig));
	EQ(write(terminal, "line\n", 5), 5);
	_exit(0);
}

static void type(int sig, const char *key, int terminal, int flags)
{
	char line[16];
	runs = 0;
	t_handle_info(sig, handler, flags, 0);
	t_setmask(BIT(sig));
	pid_t us = getpid(), pid = fork();
	if (pid == 0) {
		setsid(); // who types is not the one that is signalled
		user(terminal, us, key, sig);
	}
	EQ(read(0, line, sizeof line), 5);
	EQ(t_wait(pid), 0);
	EQ(runs, 0);
	EQ(t_pending(), BIT(sig));
	t_setmask(0);
	EQ(runs, 1);
	EQ(last.si_signo, sig);
	EQ(last.si_code, SI_KERNEL);
}

static void session(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	CHECK(setsid() > 0);
	int fd = open(ptsname(terminal), O_RDWR);
	CHECK(fd >= 0);
	EQ(ioctl(fd, TIOCSCTTY, 0), 0);
	dup2(fd, 0);
	signal(SIGHUP, SIG_IGN);
	t_warm();
	for (int i = 0; i < 3; i++) {
		type(SIGINT, "\003", terminal, 0);
		type(SIGINT, "\003", terminal, SA_RESTART);
		type(SIGQUIT, "\034", terminal, 0);
	}
}

int main(void)
{
	t_hot();
	EQ(t_child(session), 0);
	return 0;
}
