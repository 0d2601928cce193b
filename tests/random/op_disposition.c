// SPDX-License-Identifier: MIT
// Dispositions, by every function that changes or reads them.
#include "fuzz.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern sighandler_t bsd_signal(int, sighandler_t);

static int pending(int sig)
{
	return ((t_kernel_pending() | fz_pending_elsewhere()) & BIT(sig)) != 0;
}

// What another thread blocks lazily would get lost, a known limit.
int fz_may_ignore(int sig)
{
	return sig < 1 || sig > 64 || !(fz_blocked_elsewhere() & BIT(sig));
}

// Setting a fatal signal to default, now or by SA_RESETHAND, must not end the process.
int fz_may_reset(int sig)
{
	if (sig > 64 || !fz_fatal(sig))
		return sig <= 64 && fz_may_ignore(sig);
	return !fz_keeper(sig) && !pending(sig);
}

int fz_may_send(int sig)
{
	struct sigaction act;
	if (sigaction(sig, NULL, &act))
		return 0;
	if (!fz_fatal(sig))
		return 1;
	if (act.sa_handler == SIG_DFL)
		return 0;
	return !((unsigned)act.sa_flags & (unsigned)SA_RESETHAND) || !pending(sig);
}

static int pick_flags(struct random *random, int sig)
{
	int flags = 0;
	if (fz_below(random, 2))
		flags |= SA_RESTART;
	if (fz_below(random, 4) == 0)
		flags |= SA_NODEFER;
	if (fz_below(random, 4) == 0)
		flags |= SA_ONSTACK;
	if (fz_below(random, 6) == 0 && fz_may_reset(sig))
		flags |= (int)SA_RESETHAND;
	if (fz_below(random, 10) == 0)
		flags |= SA_NOCLDWAIT;
	if (fz_below(random, 10) == 0)
		flags |= SA_NOCLDSTOP;
	return flags;
}

static void show_old(const char *how, int sig, int ret, const struct sigaction *old)
{
	fz_result("%s %d = %d old %s %x %llx", how, sig, ret,
	          fz_disposition_name((void *)old->sa_handler), (unsigned)old->sa_flags,
	          (unsigned long long)t_bits(&old->sa_mask));
}

static void by_sigaction(struct random *random, int sig)
{
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	memset(&old, 0, sizeof old);
	act.sa_flags = pick_flags(random, sig);
	act.sa_handler = fz_pick_handler(random, &act.sa_flags);
	act.sa_mask = t_set(fz_mask(random));
	int what = fz_below(random, 10), want_old = fz_below(random, 2);
	if (what == 0 && fz_may_ignore(sig))
		act.sa_handler = SIG_IGN;
	if (what == 1 && fz_may_reset(sig))
		act.sa_handler = SIG_DFL;
	if (act.sa_handler == SIG_IGN || act.sa_handler == SIG_DFL)
		act.sa_flags &= ~SA_SIGINFO;
	fz_clear_errno();
	int ret = sigaction(sig, what == 2 ? NULL : &act, want_old || what == 2 ? &old : NULL);
	show_old(what == 2 ? "sigaction query" : "sigaction", sig, ret, &old);
}

// What is set is set again, by the structure that a query gave.
static void set_again(int sig)
{
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	memset(&old, 0, sizeof old);
	if (sigaction(sig, NULL, &act) || (act.sa_handler == SIG_DFL && !fz_may_reset(sig)))
		return;
	fz_clear_errno();
	int ret = sigaction(sig, &act, &old);
	show_old("sigaction again", sig, ret, &old);
}

static void by_signal(struct random *random, int sig)
{
	int which = fz_below(random, 3), what = fz_below(random, 6);
	fz_handler disposition = fz_pick_handler(random, NULL), old;
	if (what == 0 && fz_may_ignore(sig))
		disposition = SIG_IGN;
	if (what == 1 && fz_may_reset(sig))
		disposition = SIG_DFL;
	if (which == 2 && !fz_may_reset(sig))
		which = 0;
	fz_clear_errno();
	old = which == 0 ? signal(sig, disposition)
	      : which == 1 ? bsd_signal(sig, disposition)
	                   : sysv_signal(sig, disposition);
	fz_result("%s %d %s = %s",
	          which == 0   ? "signal"
	          : which == 1 ? "bsd_signal"
	                       : "sysv_signal",
	          sig, fz_disposition_name((void *)disposition), fz_disposition_name((void *)old));
}

void fz_op_disposition(struct random *random)
{
	static const int invalid[] = {0, 99, 32, SIGKILL, -1};
	int sig = fz_below(random, 25) ? fz_signal(random) : invalid[fz_below(random, 5)];
	switch (fz_below(random, 8)) {
	case 0:
		set_again(sig);
		break;
	case 1:
	case 2:
		by_signal(random, sig);
		break;
	case 3: {
		int on = fz_below(random, 2);
		fz_clear_errno();
		int ret = siginterrupt(sig, on);
		fz_result("siginterrupt %d %d = %d", sig, on, ret);
		break;
	}
	default:
		by_sigaction(random, sig);
	}
}
