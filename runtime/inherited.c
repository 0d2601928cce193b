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

// A line of the form "name:	number"; not if it is cut off.
static bool read_line(const char *text, const char *name, unsigned long *number)
{
	const char *at = strstr(text, name);
	unsigned long value = 0;

	if (!at)
		return false;
	for (at += strlen(name); *at >= '0' && *at <= '9'; at++)
		value = 10 * value + (unsigned long)(*at - '0');
	if (*at != '\n')
		return false;
	*number = value;
	return true;
}

struct filters {
	bool told;
	unsigned long mode, count;
};

// The line with a process's groups may be of any length, so this goes through it piece by piece.
static void read_status(int fd, struct filters *filters)
{
	enum { LINE = 64 }; // none that we look for is longer
	char text[4096];
	size_t kept = 0;
	bool counted = false;
	long n;

	while (!counted && (n = sz_syscall4(SYS_read, fd, (long)(text + kept),
	                                    (long)(sizeof text - 1 - kept), 0)) > 0) {
		size_t length = kept + (size_t)n;

		text[length] = 0;
		filters->told |= read_line(text, "\nSeccomp:\t", &filters->mode);
		counted = read_line(text, "\nSeccomp_filters:\t", &filters->count);
		kept = length < LINE ? length : LINE;
		memmove(text, text + length - kept, kept);
	}
	filters->told |= n == 0; // a kernel without seccomp
}

static bool untried_filters(void)
{
	struct filters filters = {.mode = 0};
	long fd = sz_syscall4(SYS_open, (long)"/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0, 0);

	if (fd < 0)
		return true;
	read_status((int)fd, &filters);
	sz_syscall4(SYS_close, fd, 0, 0, 0);
	if (!filters.told)
		return true;
	return filters.mode != 0 && (!filters.count || filters.count != sz_filters_tried);
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
