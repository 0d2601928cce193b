// SPDX-License-Identifier: MIT
#include <sigzero.h>

#include <csignal>
#include <cstdio>

static volatile std::sig_atomic_t runs;

int main()
{
	std::signal(SIGUSR1, [](int) { runs = runs + 1; });
	{
		sigzero::section guard;
		std::raise(SIGUSR1);
		std::printf("inside %d, ", (int)runs);
	}
	std::printf("outside %d\n", (int)runs);
}
