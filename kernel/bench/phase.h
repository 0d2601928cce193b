// SPDX-License-Identifier: GPL-2.0
// Where between two ticks of the timer a measurement begins: with a clock that counts instructions
// two boots differ by little else. kernel/bench/run gives each boot another PHASE, in hundredths of
// the time between ticks; without one it begins at once.
#ifndef PHASE_H
#define PHASE_H
#include <stdlib.h>
#include <time.h>

static long phase_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void phase(void)
{
	// The coarse clock is set forward by the tick.
	long tick, hundredths = getenv("PHASE") ? atol(getenv("PHASE")) : -1;
	struct timespec between;

	if (hundredths < 0)
		return;
	clock_getres(CLOCK_MONOTONIC_COARSE, &between);
	for (int i = 0; i < 2; i++) {
		tick = phase_now(CLOCK_MONOTONIC_COARSE);
		while (phase_now(CLOCK_MONOTONIC_COARSE) == tick)
			;
	}
	tick = phase_now(CLOCK_MONOTONIC);
	while (phase_now(CLOCK_MONOTONIC) < tick + between.tv_nsec / 100 * hundredths)
		;
}

#endif
