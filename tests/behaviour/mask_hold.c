// SPDX-License-Identifier: MIT
// sighold and sigrelse.
#include "t.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int main(void)
{
	t_start();
	EQ(sighold(SIGUSR1), 0);
	MASK(BIT(SIGUSR1));
	EQ(sighold(SIGUSR1), 0);
	EQ(sighold(SIGRTMAX), 0);
	MASK(BIT(SIGUSR1) | BIT(SIGRTMAX));
	EQ(sigrelse(SIGUSR1), 0);
	MASK(BIT(SIGRTMAX));
	EQ(sigrelse(SIGUSR1), 0);
	EQ(sigrelse(SIGRTMAX), 0);
	MASK(0);

	errno = 0;
	EQ(sighold(0), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sigrelse(65), -1);
	EQ(errno, EINVAL);
	errno = 0;
	EQ(sighold(-1), -1);
	EQ(errno, EINVAL);
	EQ(sighold(SIGKILL), 0);
	MASK(0);
	return 0;
}
