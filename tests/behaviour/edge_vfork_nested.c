// SPDX-License-Identifier: MIT
// vfork in a vfork child, in a handler, and in a thread while another thread goes on.
#include "t.h"

static volatile int stop;
static volatile int in_handler;

static void vfork_twice(void)
{
	pid_t pid = vfork();
	if (pid == 0) {
		t_setmask(BIT(SIGINT));
		pid_t grandchild = vfork();
		if (grandchild == 0) {
			MASK(BIT(SIGINT));
			t_setmask(BIT(SIGTERM));
			_exit(3);
		}
		MASK(BIT(SIGINT));
		int status = t_wait(grandchild);
		_exit(WEXITSTATUS(status) == 3 && t_view() == BIT(SIGINT) ? 4 : 1);
	}
	int status = t_wait(pid);
	EQ(WEXITSTATUS(status), 4);
}

static void handler(int sig)
{
	MASK(BIT(sig) | BIT(SIGHUP));
	vfork_twice();
	MASK(BIT(sig) | BIT(SIGHUP));
	in_handler++;
}

static void *other(void *arg)
{
	for (int i = 0; !stop; i++) {
		uint64_t mask = i & 1 ? BIT(SIGALRM) : BIT(SIGRTMAX);
		t_setmask(mask);
		MASK(mask);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;
	t_start();
	t_setmask(BIT(SIGHUP));
	vfork_twice();
	MASK(BIT(SIGHUP));
	t_handle(SIGUSR1, handler, 0, 0);
	raise(SIGUSR1);
	EQ(in_handler, 1);
	MASK(BIT(SIGHUP));
	EQ(pthread_create(&thread, NULL, other, NULL), 0);
	for (int i = 0; i < 100; i++) {
		vfork_twice();
		MASK(BIT(SIGHUP));
	}
	stop = 1;
	EQ(pthread_join(thread, NULL), 0);
	return 0;
}
