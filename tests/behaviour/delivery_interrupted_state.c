// SPDX-License-Identifier: MIT
// A loop that a timer interrupts at any instruction keeps all registers, flags, SSE and x87.
#include "t.h"
#include <sys/time.h>
#include <time.h>

static volatile int runs;
static volatile double sink;

static void handler(int sig)
{
	(void)sig;
	volatile long double x = 3.0L;
	for (int i = 0; i < 10; i++)
		x = x * 1.5L + (long double)i;
	sink = (double)x;
	__asm__ volatile("xorps %%xmm0, %%xmm0\n\txorps %%xmm15, %%xmm15\n\tcld" ::
	                         : "xmm0", "xmm15");
	errno = EBADF;
	errno = 0;
	runs++;
}

static uint64_t compute(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 5;
	double x = 1.0;
	long double y = 1.0L;
	for (int i = 0; i < 200000; i++) {
		a = a * 6364136223846793005u + b;
		b ^= a >> 17;
		c += b * d;
		d = (d << 7) | (d >> 57);
		x = x * 1.0000001 + 1e-9;
		y = y * 1.0000001L + 1e-9L;
	}
	uint64_t bits;
	memcpy(&bits, &x, 8);
	return a ^ b ^ c ^ d ^ bits ^ (uint64_t)(y * 1e12L);
}

int main(void)
{
	t_start();
	uint64_t want = compute();
	t_handle(SIGALRM, handler, SA_RESTART, 0);
	struct itimerval storm = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &storm, NULL);
	time_t end = time(NULL) + 2;
	while (time(NULL) < end)
		EQ(compute(), want);
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(runs > 10);
	return 0;
}
