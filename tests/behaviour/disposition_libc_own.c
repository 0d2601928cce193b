// SPDX-License-Identifier: MIT
// libc installs handlers for 32 and 33 when it needs them, unseen. A query by number gets the
// kernel's answer each time, not one that was true before.
#include "t.h"

static void *body(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static long handler_of(int sig)
{
	long asked[4] = {0}, kernel[4] = {0};
	EQ(syscall(SYS_rt_sigaction, sig, NULL, asked, 8L), 0);
	EQ(t_syscall(SYS_rt_sigaction, sig, 0, (long)kernel, 8), 0);
	EQ(asked[0], kernel[0]);
	EQ(asked[1], kernel[1]);
	EQ(asked[3], kernel[3]);
	return asked[0];
}

int main(void)
{
	t_start();
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		handler_of(32);
		handler_of(33);
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
		// Neither the default nor ignored.
		CHECK(handler_of(32) > 1);
		handler_of(33);
	}
	return 0;
}
