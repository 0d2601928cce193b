// SPDX-License-Identifier: MIT
// The kernel lets anybody send himself any siginfo (rt_sigqueueinfo(2)); "himself" is a thread,
// whose number stands for its process too. Whether a signal was sent to the thread or to the
// process has to be read off its siginfo.
#define _GNU_SOURCE
#include "send_again.h"

#include "kernel.h"

static sz_set queued_to_threads;

void sz_sent_to_thread(int sig)
{
	__atomic_fetch_or(&queued_to_threads, SZ_BIT(sig), __ATOMIC_SEQ_CST);
}

static bool sent_to_thread(int sig, const siginfo_t *info)
{
	bool ours = info->si_pid == sz_syscall4(SYS_getpid, 0, 0, 0, 0);

	if (info->si_code == SI_TKILL || (info->si_code > 0 && SZ_BIT(sig) & SZ_FAULTS))
		return true;
	// What a write of this thread raises says SI_USER.
	if (info->si_code == SI_USER)
		return ours && (sig == SIGPIPE || sig == SIGXFSZ);
	return info->si_code == SI_QUEUE && ours &&
	       *sz_siginfo_mark((siginfo_t *)info) != SZ_SENT_TO_PROCESS &&
	       __atomic_load_n(&queued_to_threads, __ATOMIC_RELAXED) & SZ_BIT(sig);
}

void sz_send_to_thread(int sig, const siginfo_t *info)
{
	long pid = sz_syscall4(SYS_getpid, 0, 0, 0, 0);
	long tid = sz_syscall4(SYS_gettid, 0, 0, 0, 0);

	if (sz_syscall4(SYS_rt_tgsigqueueinfo, pid, tid, sig, (long)info) < 0)
		sz_syscall4(SYS_tgkill, pid, tid, sig, 0);
}

// The limit on queued signals may be reached; then what can be kept is the signal itself.
void sz_send_again(int sig, const siginfo_t *info)
{
	long tid;

	if (sent_to_thread(sig, info)) {
		sz_send_to_thread(sig, info);
		return;
	}
	tid = sz_syscall4(SYS_gettid, 0, 0, 0, 0);
	if (sz_syscall4(SYS_rt_sigqueueinfo, tid, sig, (long)info, 0) < 0)
		sz_syscall4(SYS_kill, sz_syscall4(SYS_getpid, 0, 0, 0, 0), sig, 0, 0);
}
