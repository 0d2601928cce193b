// SPDX-License-Identifier: MIT
// abort and assert end the process by SIGABRT, however it was blocked or caught before.
#include "lazy.h"
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>

static volatile int *runs;

static void handler(int sig)
{
	(void)sig;
	(*runs)++;
}

static void by_abort(void)
{
	abort();
}

static void by_assert(void)
{
	dup2(open("/dev/null", O_WRONLY), 2);
	assert(!"this");
}

static void (*end)(void);

static void blocked(void)
{
	t_setmask(FATAL | BIT(SIGABRT));
	end();
}

static void blocked_among_all(void)
{
	t_setmask(~UINT64_C(0));
	end();
}

static void caught(void)
{
	t_handle(SIGABRT, handler, 0, 0);
	t_setmask(BIT(SIGTERM));
	end();
}

static void caught_and_blocked(void)
{
	t_handle(SIGABRT, handler, SA_RESTART, 0);
	t_setmask(BIT(SIGABRT) | BIT(SIGTERM));
	end();
}

static void pending(void)
{
	t_handle(SIGABRT, handler, 0, 0);
	t_setmask(BIT(SIGABRT));
	kill(getpid(), SIGABRT);
	EQ(*runs, 0);
	end();
}

static void flipped(void)
{
	for (int i = 0; i < 50; i++) {
		t_setmask(BIT(SIGABRT) | BIT(SIGALRM));
		t_handle(SIGABRT, handler, 0, 0);
		t_setmask(0);
		signal(SIGABRT, SIG_DFL);
	}
	end();
}

static void ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	t_setmask(BIT(SIGABRT));
	end();
}

static void check(void (*body)(void), int least, int most)
{
	*runs = 0;
	int status = t_child(body);
	EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGABRT);
	CHECK(*runs >= least && *runs <= most);
}

int main(void)
{
	t_hot();
	runs = t_share(sizeof *runs);
	void (*ends[])(void) = {by_abort, by_assert};
	for (int i = 0; i < 2; i++) {
		end = ends[i];
		check(blocked, 0, 0);
		check(blocked_among_all, 0, 0);
		check(caught, 1, 1);
		check(caught_and_blocked, 1, 1);
		check(pending, 2, 2);
		check(flipped, 0, 0);
		check(ignored, 0, 0);
	}
	return 0;
}
