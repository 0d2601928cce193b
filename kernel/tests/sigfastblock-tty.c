// SPDX-License-Identifier: GPL-2.0
// A process in the background that writes to its terminal, sets it or reads from it, is sent SIGTTOU or
// SIGTTIN, and the call is restarted. If the signal is blocked it may go on, or fails with EIO: so too in
// a section, since what is held back stops nobody, and the call would be restarted for ever.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "test.h"

enum { SECTION, MASK };

static volatile uint32_t word;
static volatile struct { int done, result, error, handled; } *shared;

static void handler(int sig) { shared->handled++; }

static int set(int line)
{
	struct termios t;

	tcgetattr(line, &t);
	return tcsetattr(line, TCSANOW, &t);
}

static int get(int line)
{
	char byte;

	return read(line, &byte, 1);
}

static int put(int line)
{
	return write(line, "x", 1);
}

static int foreground(int line)
{
	return tcsetpgrp(line, getpgrp());
}

static void in_background(int line, int (*call)(int), int how)
{
	sigset_t both;

	setpgid(0, 0);
	signal(SIGTTOU, handler);
	signal(SIGTTIN, handler);
	sigemptyset(&both);
	sigaddset(&both, SIGTTOU);
	sigaddset(&both, SIGTTIN);
	if (how == MASK)
		sigprocmask(SIG_BLOCK, &both, NULL);
	else if (syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word))
		_exit(1);
	else
		word += SIGFASTBLOCK_INC;
	shared->result = call(line);
	shared->error = errno;
	shared->done = 1;
	_exit(word & SIGFASTBLOCK_PEND ? 2 : 0);
}

static void session(int line, const char *what, int (*call)(int), int result, int error)
{
	for (int how = SECTION; how <= MASK; how++) {
		const char *by = how == MASK ? "mask" : "section";
		int status = 0, i;
		pid_t child;

		shared->done = shared->handled = 0;
		child = fork();
		if (!child)
			in_background(line, call, how);
		for (i = 0; i < 200 && waitpid(child, &status, WNOHANG) != child; i++)
			usleep(10000);
		if (i == 200) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
		tcsetpgrp(line, getpgrp());
		check(shared->done, "%s, %s: it returns", what, by);
		check(shared->done && shared->result == result && (result >= 0 || shared->error == error),
		      "%s, %s: result %d, errno %d", what, by, shared->result, shared->error);
		check(!shared->handled && !status, "%s, %s: no signal", what, by);
	}
}

int main(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), line, status;
	pid_t child;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return 77;
	child = fork();
	if (!child) {
		struct termios t;

		signal(SIGTTOU, SIG_IGN);
		setsid();
		line = open(ptsname(master), O_RDWR);
		if (line < 0 || ioctl(line, TIOCSCTTY, 0))
			_exit(77);
		tcgetattr(line, &t);
		t.c_lflag |= TOSTOP;
		tcsetattr(line, TCSANOW, &t);
		session(line, "tcsetattr", set, 0, 0);
		session(line, "read", get, -1, EIO);
		session(line, "write", put, 1, 0);
		session(line, "tcsetpgrp", foreground, 0, 0);
		_exit(test_status());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
