// SPDX-License-Identifier: MIT
// ppoll: the temporary mask holds while it waits and in the handler.
#include "t.h"
#include <poll.h>

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
	EQ(ppoll(NULL, 0, &soon, NULL), 0);
	EQ(runs, 0);
	errno = 0;
	EQ(ppoll(NULL, 0, &late, &temporary), -1);
	EQ(errno, EINTR);
	EQ(runs, 1);
	EQ(seen, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
	FITS(kernel, seen);
	MASK(outer);
	EQ(ppoll(NULL, 0, &soon, &temporary), 0);
	MASK(outer);
	return 0;
}
