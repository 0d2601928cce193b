// SPDX-License-Identifier: MIT
// Filters: only /proc tells without a call that a filter may answer by killing the process; who
// was started with libc may open and read. Their number is the same after exec, so a number that was
// tried before says that nobody has added one (proc_pid_status(5), Linux 5.9).
#define _GNU_SOURCE
#include "inherited.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "kernel.h"

unsigned long sz_filters_tried;

static bool number_behind(const char *text, const char *name, unsigned long *number)
{
	const char *at = strstr(text, name);

	if (!at)
		return false;
	*number = 0;
	for (at += strlen(name); *at >= '0' && *at <= '9'; at++)
		*number = 10 * *number + (unsigned long)(*at - '0');
	return true;
}

static bool read_status(char *text, size_t size)
{
	long fd = sz_syscall4(SYS_open, (long)"/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0, 0);
	long n;

	if (fd < 0)
		return false;
	n = sz_syscall4(SYS_read, fd, (long)text, (long)size - 1, 0);
	sz_syscall4(SYS_close, fd, 0, 0, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool untried_filters(void)
{
	char text[4096];
	unsigned long mode, filters;

	if (!read_status(text, sizeof text))
		return true;
	if (!number_behind(text, "\nSeccomp:\t", &mode) || mode == 0)
		return false;
	return !number_behind(text, "\nSeccomp_filters:\t", &filters) || filters != sz_filters_tried;
}

bool sz_inherited_filters(void)
{
	static uint8_t asked; // 0: not yet, 1: there are none, 2: there are

	if (!asked)
		asked = untried_filters() ? 2 : 1;
	return asked == 2;
}

static bool get(int fd, int option, void *value, socklen_t size)
{
	return sz_syscall6(SYS_getsockopt, fd, SOL_SOCKET, option, (long)value, (long)&size, 0) == 0;
}

static bool has_limit(int fd, int option)
{
	struct timeval limit = {0, 0};

	return get(fd, option, &limit, sizeof limit) && (limit.tv_sec || limit.tv_usec);
}

static bool makes_calls_end(int fd)
{
	struct linger linger = {.l_onoff = 0};
	int least = 1;

	if (!get(fd, SO_RCVLOWAT, &least, sizeof least))
		return false; // no socket
	return least != 1 || has_limit(fd, SO_RCVTIMEO) || has_limit(fd, SO_SNDTIMEO) ||
	       (get(fd, SO_LINGER, &linger, sizeof linger) && linger.l_onoff);
}

bool sz_inherited_sockets(void)
{
	const int first = 10;

	for (int fd = 0; fd < first; fd++)
		if (makes_calls_end(fd))
			return true;
	return false;
}
