// SPDX-License-Identifier: MIT
// epoll_pwait and epoll_pwait2: the temporary mask while they wait and in the handler.
#include "t.h"
#include <sys/epoll.h>

static volatile int runs;
static volatile uint64_t seen, kernel;

static void handler(int sig)
{
	(void)sig;
	seen = t_view();
	kernel = t_kernel_mask();
	runs++;
}

static int wait_once(int epfd, int second, int ms, sigset_t *mask)
{
	struct epoll_event event;
	struct timespec timeout = {ms / 1000, ms % 1000 * 1000000L};
	if (second)
		return epoll_pwait2(epfd, &event, 1, &timeout, mask);
	return epoll_pwait(epfd, &event, 1, ms, mask);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, SA_RESTART, BIT(SIGTERM));
	uint64_t outer = BIT(SIGUSR1) | BIT(SIGHUP);
	int epfd = epoll_create1(0);
	sigset_t temporary = t_set(BIT(SIGINT));
	for (int second = 0; second < 2; second++) {
		runs = 0;
		t_setmask(outer);
		raise(SIGUSR1);
		EQ(wait_once(epfd, second, 1, NULL), 0);
		EQ(runs, 0);
		errno = 0;
		EQ(wait_once(epfd, second, 20000, &temporary), -1);
		EQ(errno, EINTR);
		EQ(runs, 1);
		EQ(seen, BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGUSR1));
		FITS(kernel, seen);
		MASK(outer);
		EQ(wait_once(epfd, second, 1, &temporary), 0);
		MASK(outer);
	}
	return 0;
}
