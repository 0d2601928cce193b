// SPDX-License-Identifier: MIT
// pthread_attr_setsigmask_np: the attribute's mask is the new thread's, not ours.
#include "t.h"

static volatile uint64_t seen, kernel;

static void *body(void *arg)
{
	seen = t_view();
	kernel = t_kernel_mask();
	return arg;
}

static void create(pthread_attr_t *attr, uint64_t want)
{
	pthread_t thread;
	EQ(pthread_create(&thread, attr, body, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	EQ(seen, want);
	FITS(kernel, want);
	MASK(BIT(SIGHUP));
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	create(&attr, BIT(SIGHUP));
	sigset_t set = t_set(BIT(SIGUSR1) | BIT(SIGRTMAX)), got;
	EQ(pthread_attr_getsigmask_np(&attr, &got), PTHREAD_ATTR_NO_SIGMASK_NP);
	EQ(pthread_attr_setsigmask_np(&attr, &set), 0);
	EQ(pthread_attr_getsigmask_np(&attr, &got), 0);
	EQ(t_bits(&got), BIT(SIGUSR1) | BIT(SIGRTMAX));
	create(&attr, BIT(SIGUSR1) | BIT(SIGRTMAX));
	set = t_set(0);
	EQ(pthread_attr_setsigmask_np(&attr, &set), 0);
	create(&attr, 0);
	EQ(pthread_attr_setsigmask_np(&attr, NULL), 0);
	create(&attr, BIT(SIGHUP));
	pthread_attr_destroy(&attr);
	return 0;
}
