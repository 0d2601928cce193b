// SPDX-License-Identifier: MIT
// Numbers, signals and masks that follow from a key.
#include "fuzz.h"

uint64_t fz_seed;

const int fz_signals[FZ_SIGNALS] = {SIGUSR1, SIGUSR2,  SIGHUP, SIGTERM, SIGALRM, SIGCHLD,
                                    SIGINT,  SIGWINCH, SIGURG, 34,      35,      64};

static uint64_t scramble(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t fz_mix(uint64_t a, uint64_t b)
{
	return scramble(scramble(a) ^ b);
}

uint64_t fz_next(struct random *random)
{
	return random->state = scramble(random->state);
}

int fz_below(struct random *random, int limit)
{
	return (int)((fz_next(random) >> 20) % (uint64_t)limit);
}

int fz_signal(struct random *random)
{
	return fz_signals[fz_below(random, FZ_SIGNALS)];
}

uint64_t fz_mask(struct random *random)
{
	uint64_t mask = 0;
	switch (fz_below(random, 12)) {
	case 0:
	case 1:
	case 2:
		return 0;
	case 3:
		return BIT(fz_signal(random));
	case 4:
		mask = BIT(SIGKILL) | BIT(SIGSTOP);
		break;
	}
	for (int i = 0; i < FZ_SIGNALS; i++)
		if (fz_below(random, 4) == 0)
			mask |= BIT(fz_signals[i]);
	return mask;
}

int fz_fatal(int sig)
{
	return sig != SIGCHLD && sig != SIGWINCH && sig != SIGURG;
}

int fz_keeper(int sig)
{
	return sig == SIGUSR2 || sig == 35;
}
