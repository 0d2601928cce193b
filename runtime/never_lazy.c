// SPDX-License-Identifier: MIT
// What a program may do that makes the arrival of a signal in a lazy block tell: from then on
// such blocks are real.
#define _GNU_SOURCE
#include <stdarg.h>

#include "lazy.h"
#include "mode.h"
#include "real.h"
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
	if (sig > 0 && sig <= SZ_SIGNALS)
		sz_lazy_never(SZ_BIT(sig));
	return sz_real_timer_create(clock, event, timer);
}

// A call on a socket with a time-out is not restarted, nor is a close that lingers; and a read that
// waits for so much stops halfway.
static bool makes_calls_end(int level, int option)
{
	return level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO ||
	                               option == SO_LINGER || option == SO_RCVLOWAT);
}

SZ_INTERPOSE int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	sz_ensure_started();
	if (makes_calls_end(level, option))
		sz_lazy_never(~(sz_set)0);
	return sz_real_setsockopt(fd, level, option, value, size);
}

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
