// SPDX-License-Identifier: MIT
// Signals taken without a handler, and waits under a temporary mask.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

#include "fuzz.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void take_by_wait(uint64_t mask)
{
	siginfo_t info;
	struct timespec now = {0, 0};
	sigset_t set = t_set(mask);
	memset(&info, 0, sizeof info);
	fz_clear_errno();
	int ret = sigtimedwait(&set, &info, &now);
	fz_result("sigtimedwait %llx = %d code %d value %d", (unsigned long long)mask, ret,
	          info.si_code, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
}

static void take_by_descriptor(uint64_t mask)
{
	struct signalfd_siginfo info;
	sigset_t set = t_set(mask);
	memset(&info, 0, sizeof info);
	int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	fz_clear_errno();
	int ret = (int)read(fd, &info, sizeof info);
	close(fd);
	fz_result("signalfd %llx = %d signal %d", (unsigned long long)mask, ret,
	          (int)info.ssi_signo);
}

// Only what is blocked is asked for, so that a handler never competes.
void fz_op_take(struct random *random)
{
	uint64_t mask = fz_mask(random) & t_view();
	if (fz_below(random, 2))
		mask = t_view() & ~BIT(32) & ~BIT(33);
	int by_descriptor = fz_below(random, 3) == 0;
	if (by_descriptor)
		take_by_descriptor(mask);
	else
		take_by_wait(mask);
}

// A signal is made pending first: the wait must end by it.
static void suspend(struct random *random)
{
	struct sigaction act;
	int sig = fz_signal(random);
	if (sigaction(sig, NULL, &act) || act.sa_handler == SIG_IGN || act.sa_handler == SIG_DFL ||
	    !fz_may_send(sig))
		return;
	sigset_t set = t_set(BIT(sig)), temporary = t_set(fz_mask(random) & ~BIT(sig));
	sigprocmask(SIG_BLOCK, &set, NULL);
	fz_line("sigsuspend %llx with %d pending", (unsigned long long)t_bits(&temporary), sig);
	raise(sig);
	fz_clear_errno();
	int ret = sigsuspend(&temporary);
	fz_result("sigsuspend = %d", ret);
}

static int poll_once(int which, const sigset_t *mask)
{
	struct timespec now = {0, 0};
	struct epoll_event event;
	if (which == 0)
		return pselect(0, NULL, NULL, NULL, &now, mask);
	if (which == 1)
		return ppoll(NULL, 0, &now, mask);
	int fd = epoll_create1(EPOLL_CLOEXEC);
	int ret = which == 2 ? epoll_pwait(fd, &event, 1, 0, mask)
	                     : epoll_pwait2(fd, &event, 1, &now, mask);
	int err = fz_errno();
	close(fd);
	errno = err;
	return ret;
}

void fz_op_wait(struct random *random)
{
	static const char *const names[] = {"pselect", "ppoll", "epoll_pwait", "epoll_pwait2"};
	int which = fz_below(random, 6);
	if (which >= 4) {
		suspend(random);
		return;
	}
	int has_mask = fz_below(random, 4) > 0;
	sigset_t mask = t_set(fz_mask(random));
	fz_line("%s %llx", names[which], has_mask ? (unsigned long long)t_bits(&mask) : 0ull);
	fz_clear_errno();
	int ret = poll_once(which, has_mask ? &mask : NULL);
	fz_result("%s = %d", names[which], ret);
}
