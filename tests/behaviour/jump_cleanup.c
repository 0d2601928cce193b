// SPDX-License-Identifier: MIT
// A jump over frames with cleanup handlers: libc's longjmp runs those of the old
// registration (as libc's own cancellation points use it), and not those of the macros.
#include "t.h"
#include <setjmp.h>

extern void old_push(struct _pthread_cleanup_buffer *, void (*)(void *),
                     void *) __asm__("_pthread_cleanup_push");
extern void old_pop(struct _pthread_cleanup_buffer *, int) __asm__("_pthread_cleanup_pop");

static sigjmp_buf env;
static volatile int outer, first, second;

static void cleanup(void *counter)
{
	(*(volatile int *)counter)++;
}

__attribute__((noinline)) static void jump_over_two(void)
{
	struct _pthread_cleanup_buffer a, b;
	old_push(&a, cleanup, (void *)&first);
	old_push(&b, cleanup, (void *)&second);
	t_setmask(BIT(SIGUSR1));
	siglongjmp(env, 1);
}

static void *in_thread(void *arg)
{
	struct _pthread_cleanup_buffer kept;
	for (volatile int savemask = 0; savemask < 2; savemask++) {
		outer = first = second = 0;
		t_setmask(0);
		old_push(&kept, cleanup, (void *)&outer);
		if (sigsetjmp(env, savemask) == 0)
			jump_over_two();
		EQ(first, 1);
		EQ(second, 1);
		EQ(outer, 0);
		old_pop(&kept, 1);
		EQ(outer, 1);
		MASK(savemask ? 0 : BIT(SIGUSR1));
	}
	pthread_cleanup_push(cleanup, (void *)&first);
	if (sigsetjmp(env, 1) == 0)
		siglongjmp(env, 1);
	EQ(first, 1);
	pthread_cleanup_pop(1);
	EQ(first, 2);
	return arg;
}

int main(void)
{
	pthread_t thread;
	t_start();
	in_thread(NULL);
	t_setmask(0);
	EQ(pthread_create(&thread, NULL, in_thread, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	return 0;
}
