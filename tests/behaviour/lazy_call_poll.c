// SPDX-License-Identifier: MIT
// Waiting for one of several descriptors, which is never restarted, while a signal comes.
#include "lazy_call.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

extern int checked_poll(struct pollfd *, nfds_t, int, size_t) __asm__("__poll_chk");
extern int checked_ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *,
                         size_t) __asm__("__ppoll_chk");

static const struct timespec limit = {60, 0};
static int ends[2], set;
static struct pollfd one;
static fd_set descriptors;
static sigset_t mask;

static void open_both(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	EQ(pipe(ends), 0);
	set = epoll_create1(0);
	EQ(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event), 0);
	one = (struct pollfd){ends[0], POLLIN, 0};
	FD_ZERO(&descriptors);
	FD_SET(ends[0], &descriptors);
}

static void close_both(void)
{
	close(set);
	close(ends[0]);
	close(ends[1]);
}

static void fill(void)
{
	EQ(write(ends[1], "x", 1), 1);
}

static const sigset_t *same(void)
{
	mask = t_set(t_view());
	return &mask;
}

static int by_poll(void)
{
	return poll(&one, 1, 60000);
}

static int by_poll_for_ever(void)
{
	return poll(&one, 1, -1);
}

static int by_checked_poll(void)
{
	return checked_poll(&one, 1, 60000, sizeof one);
}

static int by_ppoll(void)
{
	return ppoll(&one, 1, &limit, NULL);
}

static int by_ppoll_mask(void)
{
	return ppoll(&one, 1, &limit, same());
}

static int by_checked_ppoll(void)
{
	return checked_ppoll(&one, 1, &limit, NULL, sizeof one);
}

static int by_select(void)
{
	struct timeval most = {60, 0};
	return select(ends[0] + 1, &descriptors, NULL, NULL, &most);
}

static int by_select_for_ever(void)
{
	return select(ends[0] + 1, &descriptors, NULL, NULL, NULL);
}

static int by_pselect(void)
{
	return pselect(ends[0] + 1, &descriptors, NULL, NULL, &limit, NULL);
}

static int by_pselect_mask(void)
{
	return pselect(ends[0] + 1, &descriptors, NULL, NULL, &limit, same());
}

static int by_epoll_wait(void)
{
	struct epoll_event event;
	return epoll_wait(set, &event, 1, 60000);
}

static int by_epoll_pwait(void)
{
	struct epoll_event event;
	return epoll_pwait(set, &event, 1, 60000, NULL);
}

static int by_epoll_pwait_mask(void)
{
	struct epoll_event event;
	return epoll_pwait(set, &event, 1, 60000, same());
}

static int by_epoll_pwait2(void)
{
	struct epoll_event event;
	return epoll_pwait2(set, &event, 1, &limit, NULL);
}

#define CALL(name) {#name, ENDS, by_##name, fill, open_both, close_both}

int main(void)
{
	static const struct call calls[] = {
		CALL(poll),       CALL(poll_for_ever),    CALL(checked_poll), CALL(ppoll),
		CALL(ppoll_mask), CALL(checked_ppoll),    CALL(select),       CALL(select_for_ever),
		CALL(pselect),    CALL(pselect_mask),     CALL(epoll_wait),   CALL(epoll_pwait),
		CALL(epoll_pwait_mask), CALL(epoll_pwait2),
	};
	t_hot();
	CALL_ALL(calls);
	return 0;
}
