// SPDX-License-Identifier: MIT
// sigignore: ignored from now on, and what was pending is gone.
#include "t.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int main(void)
{
	t_start();
	t_setmask(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(t_pending(), BIT(SIGUSR1));
	EQ(sigignore(SIGUSR1), 0);
	EQ(t_pending(), 0);
	EQ(t_status("SigIgn") & BIT(SIGUSR1), BIT(SIGUSR1));
	MASK(BIT(SIGUSR1));
	raise(SIGUSR1);
	EQ(t_pending(), BIT(SIGUSR1));
	EQ(sigignore(SIGUSR1), 0);
	EQ(t_pending(), 0);
	t_setmask(0);
	errno = 0;
	EQ(sigignore(SIGKILL), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sigignore(0), -1);
	EQ(errno, EINVAL);
	return 0;
}
