// SPDX-License-Identifier: MIT
// sigqueue and pthread_sigqueue (POSIX; sigqueue(3), pthread_sigqueue(3)). What the two send looks
// alike; where a signal has to be sent again it must be known which it was. Async-signal-safe as
// in glibc.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "lazy.h"
#include "mode.h"
#include "real.h"
#include "send_again.h"
#include "visibility.h"

SZ_INTERPOSE int sigqueue(pid_t pid, int sig, const union sigval value)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};
	long result;

	sz_ensure_started();
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = value;
	if (sz_lazy_mode && pid == info.si_pid)
		*sz_siginfo_mark(&info) = SZ_SENT_TO_PROCESS;
	result = sz_syscall4(SYS_rt_sigqueueinfo, pid, sig, (long)&info, 0);
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return 0;
}

SZ_INTERPOSE int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	sz_ensure_started();
	if (sig > 0 && sig <= SZ_SIGNALS)
		sz_sent_to_thread(sig);
	return sz_real_pthread_sigqueue(thread, sig, value);
}
