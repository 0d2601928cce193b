// SPDX-License-Identifier: MIT
// The errors of sigfastblock, command by command, are FreeBSD's.
#include <sys/mman.h>

#include "word.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void fails(int cmd, volatile void *ptr, int error, int line)
{
	errno = 0;
	if (sigfastblock(cmd, (void *)ptr) != -1)
		t_fail(__FILE__, line, "it succeeded");
	t_equal(errno, error, "errno", __FILE__, line);
}

#define FAILS(cmd, ptr, error) fails(SIGFASTBLOCK_##cmd, ptr, error, __LINE__)

static void without_a_word(void)
{
	fails(0, NULL, EINVAL, __LINE__);
	fails(4, &word, EINVAL, __LINE__);
	fails(-1, &word, EINVAL, __LINE__);
	FAILS(UNBLOCK, NULL, EINVAL);
	FAILS(UNSETPTR, NULL, EINVAL);
	for (int i = 1; i < 4; i++)
		FAILS(SETPTR, (char *)&word + i, EINVAL);
	FAILS(SETPTR, NULL, EFAULT);
}

static void with_a_word(void)
{
	static const uint32_t not_pend[] = {0, SIGFASTBLOCK_INC, SIGFASTBLOCK_INC | SIGFASTBLOCK_PEND,
	                                    SIGFASTBLOCK_PEND | 2, 2};

	FAILS(SETPTR, &word, EBUSY);
	FAILS(SETPTR, (char *)&word + 1, EBUSY);
	FAILS(SETPTR, NULL, EBUSY);
	fails(7, &word, EINVAL, __LINE__);
	for (size_t i = 0; i < sizeof not_pend / sizeof *not_pend; i++) {
		word = not_pend[i];
		FAILS(UNBLOCK, NULL, EBUSY);
		EQ(word, not_pend[i]);
		if (not_pend[i])
			FAILS(UNSETPTR, NULL, EBUSY);
		EQ(word, not_pend[i]);
	}
	word = SIGFASTBLOCK_PEND;
	EQ(sigfastblock(SIGFASTBLOCK_UNBLOCK, (void *)1), 0);
	EQ(word, 0);
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, (void *)1), 0);
	FAILS(UNSETPTR, NULL, EINVAL);
}

static void unset_delivers(void)
{
	t_register(&word);
	enter(&word);
	raise(SIGUSR1);
	CHECK(left_pending(&word));
	EQ(runs, 0);
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), 0);
	EQ(runs, 1);
	EQ(word, SIGFASTBLOCK_PEND);
	word = 0;
	MASK(0);
	runs = 0;
}

static void faults(int cmd, int protection)
{
	volatile uint32_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	t_register(page);
	enter(page);
	raise(SIGUSR1);
	CHECK(left_pending(page));
	EQ(runs, 0);
	EQ(mprotect((void *)page, 4096, protection), 0);
	fails(cmd, NULL, EFAULT, __LINE__);
	EQ(runs, 1);
	runs = 0;
	MASK(0);
	fails(cmd, NULL, EINVAL, __LINE__); // no longer registered
	EQ(munmap((void *)page, 4096), 0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	without_a_word();
	t_register(&word);
	with_a_word();
	for (int i = 0; i < 3; i++) {
		unset_delivers();
		faults(SIGFASTBLOCK_UNBLOCK, PROT_NONE);
		faults(SIGFASTBLOCK_UNBLOCK, PROT_READ);
		faults(SIGFASTBLOCK_UNSETPTR, PROT_NONE);
	}
	return 0;
}
