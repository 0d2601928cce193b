// SPDX-License-Identifier: MIT
// Waiting in read for an event, a timer, a change of a file or a terminal's line while a
// signal comes.
#include "lazy_call.h"
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <termios.h>

static int fd, other = -1;
static char buffer[4096];

static void new_eventfd(void)
{
	fd = eventfd(0, 0);
}

static void raise_event(void)
{
	uint64_t one = 1;
	EQ(write(fd, &one, sizeof one), sizeof one);
}

static void new_timerfd(void)
{
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec late = {.it_value = {600, 0}};
	EQ(timerfd_settime(fd, 0, &late, NULL), 0);
}

static void expire(void)
{
	struct itimerspec now = {.it_value = {0, 1}};
	EQ(timerfd_settime(fd, 0, &now, NULL), 0);
}

static void new_inotify(void)
{
	fd = inotify_init1(0);
	CHECK(inotify_add_watch(fd, ".", IN_CREATE) >= 0);
	unlink("new");
}

static void create_file(void)
{
	close(open("new", O_CREAT | O_WRONLY, 0600));
}

static void new_signalfd(void)
{
	sigset_t set = t_set(BIT(SIGTERM));
	fd = signalfd(-1, &set, 0);
}

static void signal_us(void)
{
	kill(getpgrp(), SIGTERM);
}

static void new_terminal(void)
{
	other = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(other >= 0 && grantpt(other) == 0 && unlockpt(other) == 0);
	fd = open(ptsname(other), O_RDWR | O_NOCTTY);
}

static void type_line(void)
{
	EQ(write(other, "x\n", 2), 2);
}

static void close_it(void)
{
	close(fd);
	if (other >= 0)
		close(other);
	other = -1;
}

static int by_read(void)
{
	CHECK(fd >= 0);
	return (int)read(fd, buffer, sizeof buffer);
}

static int by_read_of_signals(void)
{
	sigset_t set = t_set(BIT(SIGTERM));
	sigprocmask(SIG_BLOCK, &set, NULL);
	int ret = by_read();
	int err = errno;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	errno = err;
	return ret;
}

int main(void)
{
	static const struct call calls[] = {
		{"eventfd", RESTARTS, by_read, raise_event, new_eventfd, close_it},
		{"timerfd", RESTARTS, by_read, expire, new_timerfd, close_it},
		{"inotify", RESTARTS, by_read, create_file, new_inotify, close_it},
		{"signalfd", RESTARTS, by_read_of_signals, signal_us, new_signalfd, close_it},
		{"terminal", RESTARTS, by_read, type_line, new_terminal, close_it},
	};
	t_hot();
	EQ(setpgid(0, 0) == 0 || getpgrp() == getpid(), 1);
	CALL_ALL(calls);
	return 0;
}
