// SPDX-License-Identifier: MIT
// kill, killpg, sigqueue and pthread_sigqueue (POSIX; kill(2), killpg(3), sigqueue(3),
// pthread_sigqueue(3)). A signal to the process may look like one to the thread; where it has to be
// sent again it must be known which it was. Async-signal-safe as in glibc.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "lazy.h"
#include "mode.h"
#include "libc_result.h"
#include "never_lazy.h"
#include "real.h"
#include "section.h"
#include "send_again.h"
#include "visibility.h"

SZ_INTERPOSE int sigqueue(pid_t pid, int sig, const union sigval value)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};

	sz_ensure_started();
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = value;
	if (sz_lazy_mode && pid == info.si_pid)
		*sz_siginfo_mark(&info) = SZ_SENT_TO_PROCESS;
	return sz_libc_result(sz_syscall4(SYS_rt_sigqueueinfo, pid, sig, (long)&info, 0));
}

// From our own process these look like the kernel's, which go to the thread that wrote.
void sz_sends_as_the_kernel(pid_t pid, int sig)
{
	if ((sig != SIGPIPE && sig != SIGXFSZ) || (pid > 0 && pid != getpid()))
		return;
	sz_lazy_never(SZ_BIT(sig));
	sz_section_fall_back();
}

SZ_INTERPOSE int kill(pid_t pid, int sig)
{
	sz_ensure_started();
	sz_sends_as_the_kernel(pid, sig);
	return sz_libc_result(sz_syscall4(SYS_kill, pid, sig, 0, 0));
}

SZ_INTERPOSE int killpg(pid_t group, int sig)
{
	if (group < 0)
		return sz_libc_result(-EINVAL);
	return kill(-group, sig);
}

SZ_INTERPOSE int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	sz_ensure_started();
	if (sig > 0 && sig <= SZ_SIGNALS)
		sz_sent_to_thread(sig);
	return sz_real_pthread_sigqueue(thread, sig, value);
}
