// SPDX-License-Identifier: MIT
// Null pointers, and a wrong `how`, which only matters when there is a set.
#include "t.h"

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1));
	sigset_t set = t_set(BIT(SIGUSR2)), old = t_set(0);

	EQ(sigprocmask(SIG_BLOCK, NULL, NULL), 0);
	EQ(sigprocmask(12345, NULL, NULL), 0);
	EQ(sigprocmask(-1, NULL, &old), 0);
	EQ(t_bits(&old), BIT(SIGUSR1));
	EQ(sigprocmask(SIG_SETMASK, NULL, &old), 0);
	EQ(t_bits(&old), BIT(SIGUSR1));
	MASK(BIT(SIGUSR1));

	int wrong[] = {3, -1, 4, 1 << 30};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		errno = 0;
		old = t_set(0xabcd);
		EQ(sigprocmask(wrong[i], &set, &old), -1);
		EQ(errno, EINVAL);
		EQ(t_bits(&old), 0xabcd);
		MASK(BIT(SIGUSR1));
	}
	EQ(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	MASK(BIT(SIGUSR1) | BIT(SIGUSR2));
	return 0;
}
