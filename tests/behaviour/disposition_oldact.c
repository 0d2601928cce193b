// SPDX-License-Identifier: MIT
// The old action: handler, flags as the kernel reports them, mask.
#include "t.h"

#define SA_RESTORER_ 0x04000000

static void handler(int sig)
{
	(void)sig;
}

static void info_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
}

static void replace(void (*next)(int), int flags, uint64_t mask, struct sigaction *old)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_handler = next;
	act.sa_flags = flags;
	act.sa_mask = t_set(mask);
	memset(old, 0x5a, sizeof *old);
	EQ(sigaction(SIGUSR1, &act, old), 0);
}

int main(void)
{
	struct sigaction old, again;
	t_start();
	// After signal(…, SIG_DFL) the kernel reports its flag of the trampoline.
	replace(handler, SA_RESTART, BIT(SIGHUP) | BIT(SIGKILL) | BIT(SIGSTOP), &old);
	CHECK(old.sa_handler == SIG_DFL);
	EQ(old.sa_flags, SA_RESTART | SA_RESTORER_);
	replace(handler, SA_NODEFER | SA_ONSTACK | SA_RESETHAND, 0, &old);
	CHECK(old.sa_handler == handler);
	EQ(old.sa_flags, SA_RESTART | SA_RESTORER_);
	EQ(t_bits(&old.sa_mask), BIT(SIGHUP));
	replace((void (*)(int))(void *)info_handler, SA_SIGINFO, ~UINT64_C(0), &old);
	EQ(old.sa_flags, SA_NODEFER | SA_ONSTACK | (int)SA_RESETHAND | SA_RESTORER_);
	EQ(t_bits(&old.sa_mask), 0);
	replace(SIG_IGN, SA_NOCLDSTOP | SA_NOCLDWAIT, BIT(SIGRTMAX), &old);
	CHECK(old.sa_sigaction == info_handler);
	EQ(old.sa_flags, SA_SIGINFO | SA_RESTORER_);
	EQ(t_bits(&old.sa_mask), ~(BIT(SIGKILL) | BIT(SIGSTOP)));
	CHECK(old.sa_restorer != NULL);
	replace(SIG_DFL, 0, 0, &old);
	CHECK(old.sa_handler == SIG_IGN);
	EQ(old.sa_flags, SA_NOCLDSTOP | SA_NOCLDWAIT | SA_RESTORER_);
	EQ(t_bits(&old.sa_mask), BIT(SIGRTMAX));
	replace(handler, 0x00000200 | 0x00000800, 0, &old);
	EQ(sigaction(SIGUSR1, NULL, &again), 0);
	// Unknown flags: the kernel drops what it does not know and keeps SA_EXPOSE_TAGBITS.
	EQ(again.sa_flags, 0x00000800 | SA_RESTORER_);
	// The same restorer, whether asked for or handed back.
	CHECK(again.sa_restorer == old.sa_restorer);
	return 0;
}
