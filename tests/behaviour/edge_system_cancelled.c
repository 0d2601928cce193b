// SPDX-License-Identifier: MIT
// A thread is cancelled in system(), which has blocked SIGCHLD inside libc and does not come
// back to undo it: the clean-up sees the mask that the kernel has, and can set another.
#include "t.h"

static volatile int cleaned;
static int ends[2];

static void cleanup(void *arg)
{
	(void)arg;
	SAME_MASK();
	t_setmask(BIT(SIGHUP));
	MASK(BIT(SIGHUP));
	cleaned++;
}

static void *body(void *arg)
{
	char line[64];
	snprintf(line, sizeof line, "echo >&%d; exec sleep 20", ends[1]);
	MASK(0);
	pthread_cleanup_push(cleanup, NULL);
	EQ(system(line), 0);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	t_start();
	EQ(pipe(ends), 0);
	for (int i = 1; i <= 5; i++) {
		pthread_t thread;
		char c;
		EQ(pthread_create(&thread, NULL, body, NULL), 0);
		EQ(read(ends[0], &c, 1), 1);
		EQ(pthread_cancel(thread), 0);
		EQ(pthread_join(thread, NULL), 0);
		EQ(cleaned, i);
		MASK(0);
	}
	return 0;
}
