// SPDX-License-Identifier: MIT
// Sections under a seccomp filter that kills who queues a signal by hand.
#include <sigzero.h>

#include "confined.h"

static int inside(int fd)
{
	t_handle_info(SIGUSR1, handler, 0, 0);
	for (int i = 0; i < 1000; i++) {
		sigzero_block();
		sigzero_unblock();
	}
	for (int i = 0; i < 20; i++) {
		runs = 0;
		sigzero_block();
		ask(fd, SIGUSR1);
		AWAIT(sigzero_pending());
		EQ(runs, 0);
		sigzero_unblock();
		EQ(runs, 1);
		EQ(value, VALUE);
	}
	return 0;
}

int main(int argc, char **argv)
{
	return confined(argc, argv, inside);
}
