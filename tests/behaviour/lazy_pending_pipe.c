// SPDX-License-Identifier: MIT
// SIGPIPE while it is blocked: the write fails, the signal waits; sigtimedwait takes it away,
// as libraries do that must not disturb their program.
#include "lazy.h"
#include <sys/resource.h>
#include <fcntl.h>

static volatile int runs;
static siginfo_t last;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	last = *info;
	runs++;
}

static int broken(void)
{
	int ends[2];
	EQ(pipe(ends), 0);
	close(ends[0]);
	return ends[1];
}

static void write_to(int fd)
{
	errno = 0;
	EQ(write(fd, "x", 1), -1);
	EQ(errno, EPIPE);
}

static void with_handler(int fd)
{
	t_handle_info(SIGPIPE, handler, 0, 0);
	runs = 0;
	t_setmask(BIT(SIGPIPE));
	write_to(fd);
	EQ(runs, 0);
	EQ(t_pending(), BIT(SIGPIPE));
	t_setmask(0);
	EQ(runs, 1);
	EQ(last.si_signo, SIGPIPE);
	EQ(last.si_pid, getpid());
}

static void taken_away(int fd)
{
	struct timespec now = {0, 0};
	sigset_t set = t_set(BIT(SIGPIPE)), old;
	signal(SIGPIPE, SIG_DFL);
	EQ(pthread_sigmask(SIG_BLOCK, &set, &old), 0);
	write_to(fd);
	EQ(sigtimedwait(&set, NULL, &now), SIGPIPE);
	EQ(sigtimedwait(&set, NULL, &now), -1);
	EQ(errno, EAGAIN);
	EQ(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
}

static void file_too_large(void)
{
	struct rlimit limit = {100, 100};
	int fd = open("large", O_RDWR | O_CREAT | O_TRUNC, 0600);
	t_handle_info(SIGXFSZ, handler, 0, 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	runs = 0;
	t_setmask(BIT(SIGXFSZ));
	EQ(pwrite(fd, "x", 1, 100), -1);
	EQ(errno, EFBIG);
	EQ(t_pending(), BIT(SIGXFSZ));
	EQ(runs, 0);
	t_setmask(0);
	EQ(runs, 1);
	signal(SIGXFSZ, SIG_DFL);
	t_setmask(BIT(SIGXFSZ));
	EQ(pwrite(fd, "x", 1, 100), -1);
	EQ(errno, EFBIG);
	t_setmask(0);
	_exit(2);
}

int main(void)
{
	t_hot();
	int fd = broken();
	for (int i = 0; i < 10; i++) {
		with_handler(fd);
		taken_away(fd);
	}
	int status = t_child(file_too_large);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGXFSZ);
	return 0;
}
