// SPDX-License-Identifier: MIT
// Only the kernel's 8 bytes of the old set are written, the other 120 stay.
#include "t.h"

static void check_tail(const sigset_t *set)
{
	const unsigned char *bytes = (const unsigned char *)set;
	for (unsigned i = 8; i < sizeof *set; i++)
		EQ(bytes[i], 0x5a);
}

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	sigset_t set = t_set(BIT(SIGUSR1)), old;

	memset(&old, 0x5a, sizeof old);
	EQ(sigprocmask(SIG_BLOCK, &set, &old), 0);
	EQ(t_bits(&old), BIT(SIGHUP));
	check_tail(&old);

	memset(&old, 0x5a, sizeof old);
	EQ(pthread_sigmask(SIG_BLOCK, NULL, &old), 0);
	EQ(t_bits(&old), BIT(SIGHUP) | BIT(SIGUSR1));
	check_tail(&old);
	return 0;
}
