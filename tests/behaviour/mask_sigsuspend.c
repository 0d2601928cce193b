// SPDX-License-Identifier: MIT
// sigsuspend: the temporary mask holds in the handler, the old one afterwards.
#include "t.h"

static volatile int runs;
static volatile uint64_t seen, kernel, saved;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	ucontext_t *uc = context;
	seen = t_view();
	kernel = t_kernel_mask();
	saved = t_bits(&uc->uc_sigmask);
	runs++;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, SA_RESTART, BIT(SIGTERM));
	uint64_t outer = BIT(SIGUSR1) | BIT(SIGHUP);
	t_setmask(outer);
	for (int i = 1; i <= 3; i++) {
		sigset_t temporary = t_set(BIT(SIGINT));
		raise(SIGUSR1);
		errno = 0;
		EQ(sigsuspend(&temporary), -1);
		EQ(errno, EINTR);
		EQ(runs, i);
		EQ(seen, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
		FITS(kernel, seen);
		// The frame restores the mask of before the wait, not the temporary one.
		EQ(saved, outer);
		MASK(outer);
	}
	return 0;
}
