// SPDX-License-Identifier: MIT
// pselect: the temporary mask holds while it waits and in the handler.
#include "t.h"
#include <sys/select.h>

static volatile int runs;
static volatile uint64_t seen, kernel;

static void handler(int sig)
{
	(void)sig;
	seen = t_view();
	kernel = t_kernel_mask();
	runs++;
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_RESTART, BIT(SIGTERM));
	uint64_t outer = BIT(SIGUSR1) | BIT(SIGHUP);
	t_setmask(outer);
	raise(SIGUSR1);

	struct timespec soon = {0, 1000000}, late = {20, 0};
	sigset_t temporary = t_set(BIT(SIGINT));
	EQ(pselect(0, NULL, NULL, NULL, &soon, NULL), 0);
	EQ(runs, 0);
	errno = 0;
	EQ(pselect(0, NULL, NULL, NULL, &late, &temporary), -1);
	EQ(errno, EINTR);
	EQ(runs, 1);
	EQ(seen, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
	FITS(kernel, seen);
	MASK(outer);
	EQ(late.tv_sec, 20);

	// A time-out under a temporary mask leaves the outer mask too.
	EQ(pselect(0, NULL, NULL, NULL, &soon, &temporary), 0);
	MASK(outer);
	return 0;
}
