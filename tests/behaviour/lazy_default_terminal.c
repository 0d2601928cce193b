// SPDX-License-Identifier: MIT
// ^C on a terminal ends a program that stands at the default action, blocked ones not before
// they open; ^Z stops it.
#include "lazy.h"
#include <fcntl.h>
#include <sys/ioctl.h>

static int master;
static volatile int *reached;

static void sit(int blocked)
{
	char byte;
	setpgid(0, 0);
	tcsetpgrp(0, getpid());
	t_setmask(blocked ? BIT(SIGINT) | BIT(SIGQUIT) : BIT(SIGUSR1));
	*reached = 1;
	EQ(read(0, &byte, 1), 1);
	*reached = 2;
	t_setmask(0);
	*reached = 3;
	_exit(0);
}

static void press(pid_t pid, const char *key)
{
	AWAIT(*reached == 1);
	AWAIT(t_is_asleep(pid));
	EQ(write(master, key, 1), 1);
}

static pid_t start(int blocked)
{
	*reached = 0;
	pid_t pid = fork();
	if (pid == 0)
		sit(blocked);
	return pid;
}

static void ended_at_once(const char *key, int sig)
{
	pid_t pid = start(0);
	press(pid, key);
	int status = t_wait(pid);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, sig);
	EQ(*reached, 1);
}

static void ended_later(const char *key, int sig)
{
	pid_t pid = start(1);
	press(pid, key);
	AWAIT(t_pending_of(pid) & BIT(sig));
	EQ(*reached, 1);
	EQ(write(master, "\n", 1), 1);
	int status = t_wait(pid);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, sig);
	EQ(*reached, 2);
}

static void stopped(void)
{
	int status;
	pid_t pid = start(0);
	press(pid, "\032");
	EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));
	EQ(WSTOPSIG(status), SIGTSTP);
	kill(pid, SIGCONT);
	EQ(write(master, "\n", 1), 1);
	EQ(t_wait(pid), 0);
}

static void session(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	CHECK(setsid() > 0);
	int fd = open(ptsname(master), O_RDWR);
	EQ(ioctl(fd, TIOCSCTTY, 0), 0);
	dup2(fd, 0);
	signal(SIGTTOU, SIG_IGN);
	ended_at_once("\003", SIGINT);
	ended_at_once("\034", SIGQUIT);
	ended_later("\003", SIGINT);
	ended_later("\034", SIGQUIT);
	stopped();
	_exit(0);
}

int main(void)
{
	t_hot();
	reached = t_share(sizeof *reached);
	pid_t pid = fork();
	if (pid == 0)
		session();
	return t_wait(pid) != 0;
}
