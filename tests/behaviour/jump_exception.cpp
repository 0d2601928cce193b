// SPDX-License-Identifier: MIT
// C++ exceptions: through frames that jump, change masks, and out of functions called by
// a signal handler's caller.
#include "t.h"
#include <csetjmp>
#include <stdexcept>

static volatile int destroyed;

struct Guard {
	sigset_t old;
	explicit Guard(uint64_t mask)
	{
		sigset_t set = t_set(mask);
		EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	}
	~Guard()
	{
		EQ(sigprocmask(SIG_SETMASK, &old, nullptr), 0);
		destroyed = destroyed + 1;
	}
};

__attribute__((noinline)) static void thrower(int level)
{
	Guard guard(BIT(SIGRTMIN + level));
	if (level == 0)
		throw std::runtime_error("deep");
	thrower(level - 1);
}

static int jump_and_throw()
{
	static sigjmp_buf env;
	if (sigsetjmp(env, 1) == 0) {
		t_setmask(BIT(SIGINT));
		siglongjmp(env, 1);
	}
	throw 17;
}

static void throwing_handler(int)
{
	throw std::runtime_error("from a handler");
}

// Unwinds through the signal frame: gcc does it for faults with -fnon-call-exceptions.
__attribute__((noinline)) static int throws_from_handler(volatile int *where)
{
	try {
		*where = 1;
	} catch (const std::runtime_error &) {
		return 1;
	}
	return 0;
}

int main()
{
	t_start();
	t_setmask(BIT(SIGHUP));
	for (int i = 1; i <= 20; i++) {
		try {
			thrower(9);
			CHECK(!"reached");
		} catch (const std::runtime_error &error) {
			EQ(strcmp(error.what(), "deep"), 0);
		}
		EQ(destroyed, 10 * i);
		MASK(BIT(SIGHUP));
		try {
			jump_and_throw();
			CHECK(!"reached");
		} catch (int value) {
			EQ(value, 17);
		}
		MASK(BIT(SIGHUP));
	}
	volatile int *volatile nowhere = nullptr;
	t_handle(SIGSEGV, throwing_handler, SA_NODEFER, 0);
	for (int i = 0; i < 3; i++)
		EQ(throws_from_handler(nowhere), 1);
	return 0;
}
