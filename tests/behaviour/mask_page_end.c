// SPDX-License-Identifier: MIT
// Sets of 8 bytes that end at an unmapped page: nothing beyond is touched.
#include "t.h"
#include <sys/mman.h>

static sigset_t *at_page_end(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area != MAP_FAILED);
	EQ(munmap(area + page, page), 0);
	return (sigset_t *)(area + page - 8);
}

int main(void)
{
	t_start();
	sigset_t *set = at_page_end(), *old = at_page_end();
	uint64_t mask = BIT(SIGUSR1) | BIT(SIGRTMAX);
	memcpy(set, &mask, 8);
	EQ(sigprocmask(SIG_BLOCK, set, old), 0);
	EQ(t_bits(old), 0);
	MASK(mask);
	EQ(pthread_sigmask(SIG_SETMASK, set, old), 0);
	EQ(t_bits(old), mask);
	EQ(sigprocmask(SIG_UNBLOCK, set, NULL), 0);
	MASK(0);
	return 0;
}
