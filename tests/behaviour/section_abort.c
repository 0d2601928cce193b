// SPDX-License-Identifier: MIT
// abort and assert in a section end the process by SIGABRT, and its handler runs first.
#include <sigzero.h>
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "t.h"

static volatile int *runs;

static void handler(int sig)
{
	(void)sig;
	(*runs)++;
}

static void warm_up(void)
{
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

static void by_abort(void)
{
	sigzero_block();
	raise(SIGUSR1);
	abort();
}

static void by_assert(void)
{
	dup2(open("/dev/null", O_WRONLY), 2);
	sigzero_block();
	sigzero_block();
	assert(!"this");
}

static void ends(void (*body)(void), int handled)
{
	*runs = 0;
	EQ(WTERMSIG(t_child(body)), SIGABRT);
	EQ(*runs, handled);
}

int main(void)
{
	struct rlimit none = {0, 0};

	t_start();
	setrlimit(RLIMIT_CORE, &none);
	runs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int warm = 0; warm < 2; warm++) {
		ends(by_abort, 0);
		ends(by_assert, 0);
		t_handle(SIGABRT, handler, 0, 0);
		ends(by_abort, 1);
		ends(by_assert, 1);
		signal(SIGABRT, SIG_DFL);
		warm_up();
	}
	return 0;
}
