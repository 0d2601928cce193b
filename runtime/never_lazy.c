// SPDX-License-Identifier: MIT
// What a program may do that makes the arrival of a signal in a lazy block tell: from then on
// such blocks are real.
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS // both names are defined here
#include "never_lazy.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>

#include "lazy.h"
#include "mode.h"
#include "real.h"
#include "section.h"
#include "send_again.h"
#include "visibility.h"

// A timer counts the expiries that it could not queue; sending again would lose that count.
SZ_INTERPOSE int timer_create(clockid_t clock, struct sigevent *restrict event,
                              timer_t *restrict timer)
{
	int sig = SIGALRM;

	sz_ensure_started();
	if (event)
		sig = event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID
		              ? event->sigev_signo
		              : 0;
	if (sig > 0 && sig <= SZ_SIGNALS) {
		sz_lazy_never(SZ_BIT(sig));
		sz_section_fall_back();
	}
	return sz_real_timer_create(clock, event, timer);
}

// A call on a socket with a time-out is not restarted, nor is a close that lingers; and a read that
// waits for so much stops halfway.
bool sz_option_makes_calls_end(int level, int option)
{
	if (level != SOL_SOCKET)
		return false;
	switch (option) {
	case SO_RCVTIMEO:
	case SO_SNDTIMEO:
	case SO_RCVTIMEO_NEW:
	case SO_SNDTIMEO_NEW:
	case SO_LINGER:
	case SO_RCVLOWAT:
		return true;
	default:
		return false;
	}
}

SZ_INTERPOSE int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	sz_ensure_started();
	if (sz_option_makes_calls_end(level, option))
		sz_lazy_never(~(sz_set)0);
	return sz_real_setsockopt(fd, level, option, value, size);
}

// A child of ours may be the first process there, which must not have guards.
SZ_INTERPOSE int unshare(int flags)
{
	sz_ensure_started();
	if (flags & CLONE_NEWPID)
		sz_lazy_end();
	return sz_real_unshare(flags);
}

// A signal that input sends to one thread (F_OWNER_TID) looks like one sent to the process.
sz_set sz_sent_by_input(int command, intptr_t sig)
{

	if (command == F_SETOWN_EX)
		return SZ_BIT(SIGIO) | SZ_BIT(SIGURG);
	return command == F_SETSIG && sig > 0 && sig <= SZ_SIGNALS ? SZ_BIT(sig) : 0;
}

SZ_INTERPOSE int fcntl(int fd, int command, ...)
{
	va_list rest;
	void *argument;
	sz_set sent;

	va_start(rest, command);
	argument = va_arg(rest, void *);
	va_end(rest);
	sz_ensure_started();
	sent = sz_sent_by_input(command, (intptr_t)argument);
	if (sent)
		sz_lazy_never(sent);
	return sz_real_fcntl(fd, command, argument);
}
int fcntl64(int, int, ...) SZ_ALIAS(fcntl);
int __fcntl(int, int, ...) SZ_ALIAS(fcntl);

// Under a filter our own system calls may be forbidden.
SZ_INTERPOSE int prctl(int option, ...)
{
	unsigned long a[4];
	va_list rest;

	va_start(rest, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(rest, unsigned long);
	va_end(rest);
	sz_ensure_started();
	if (option == PR_SET_SECCOMP)
		sz_lazy_end();
	return sz_real_prctl(option, a[0], a[1], a[2], a[3]);
}
