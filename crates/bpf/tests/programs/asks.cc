// SPDX-License-Identifier: MIT
// Asks for its mask from a constructor in a namespace, inside a handler too.
#include <csignal>

namespace shop
{
struct Asker {
	__attribute__((noinline)) explicit Asker(int)
	{
		sigset_t old;
		sigprocmask(SIG_SETMASK, nullptr, &old);
		asm volatile("");
	}
};
}

static void handler(int)
{
	shop::Asker asker(2);
}

int main()
{
	std::signal(SIGUSR1, handler);
	for (int i = 0; i < 1000; i++)
		std::raise(SIGUSR1);
}
