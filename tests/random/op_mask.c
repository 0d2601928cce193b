// SPDX-License-Identifier: MIT
// The mask, by every function that changes or reads it.
#include "fuzz.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern int siggetmask(void);

static int how(struct random *random)
{
	static const int hows[] = {SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK, SIG_SETMASK, SIG_UNBLOCK};
	return fz_below(random, 40) == 0 ? 7 : hows[fz_below(random, 5)];
}

void fz_op_mask(struct random *random)
{
	int h = how(random), by = fz_below(random, 8), query = fz_below(random, 6) == 0;
	int want_old = fz_below(random, 3) > 0, ret;
	sigset_t set = t_set(fz_mask(random)), old = t_set(0xee);
	if (fz_below(random, 20) == 0)
		sigfillset(&set);
	uint64_t asked = query ? 0 : t_bits(&set);
	fz_clear_errno();
	if (by < 4)
		ret = sigprocmask(h, query ? NULL : &set, want_old ? &old : NULL);
	else if (by < 7)
		ret = pthread_sigmask(h, query ? NULL : &set, want_old ? &old : NULL);
	else {
		// libc's own two would be blocked by a raw call.
		uint64_t raw = asked &= ~(BIT(32) | BIT(33));
		memcpy(&set, &raw, 8);
		ret = (int)syscall(SYS_rt_sigprocmask, h, query ? NULL : &set,
		                   want_old ? &old : NULL, 8L);
	}
	fz_result("%s how %d set %llx%s = %d old %llx",
	          by < 4   ? "sigprocmask"
	          : by < 7 ? "pthread_sigmask"
	                   : "rt_sigprocmask",
	          h, (unsigned long long)asked, query ? " null" : "", ret,
	          (unsigned long long)t_bits(&old));
}

static void by_set(struct random *random, int sig)
{
	fz_handler disposition = fz_pick_handler(random, NULL);
	int what = fz_below(random, 6);
	if (what < 2)
		disposition = SIG_HOLD;
	if (what == 2 && fz_may_ignore(sig))
		disposition = SIG_IGN;
	if (what == 3 && fz_may_reset(sig))
		disposition = SIG_DFL;
	fz_clear_errno();
	fz_handler old = sigset(sig, disposition);
	fz_result("sigset %d %s = %s", sig, fz_disposition_name((void *)disposition),
	          fz_disposition_name((void *)old));
}

void fz_op_mask_old_names(struct random *random)
{
	int sig = fz_below(random, 20) ? fz_signal(random) : 99, which = fz_below(random, 7), ret = 0;
	int mask = (int)(fz_mask(random) & 0x7fffffff);
	fz_clear_errno();
	switch (which) {
	case 0:
		ret = sigblock(mask);
		break;
	case 1:
		ret = sigsetmask(mask);
		break;
	case 2:
		ret = siggetmask();
		break;
	case 3:
		ret = sighold(sig);
		break;
	case 4:
		ret = sigrelse(sig);
		break;
	case 5:
		if (!fz_may_ignore(sig))
			return;
		ret = sigignore(sig);
		break;
	default:
		by_set(random, sig);
		return;
	}
	static const char *const names[] = {"sigblock", "sigsetmask", "siggetmask",
	                                    "sighold",  "sigrelse",   "sigignore"};
	fz_result("%s %d %x = %x", names[which], sig, mask, ret);
}
