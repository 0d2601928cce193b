// SPDX-License-Identifier: MIT
// The word was unmapped: the next signal finds it out. It is no longer registered then, and SIGSEGV
// comes with the word's address; the signal that found out is not lost.
#include <sys/mman.h>
#include <sys/resource.h>

#include "word.h"

static volatile int runs, faults;
static void *volatile fault_address;
static volatile uint32_t *page;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void on_fault(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	faults++;
	fault_address = info->si_addr;
	errno = 0;
	EQ(sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL), -1);
	EQ(errno, EINVAL);
}

static void map_and_register(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	t_register(page + 5);
}

static void by_handler(void)
{
	runs = faults = 0;
	map_and_register();
	raise(SIGUSR1);
	EQ(runs, 1);
	EQ(munmap((void *)page, 4096), 0);
	raise(SIGUSR1);
	EQ(runs, 2);
	EQ(faults, 1);
	CHECK(fault_address == (void *)(page + 5));
	raise(SIGUSR1);
	EQ(runs, 3);
	EQ(faults, 1);
	MASK(0);
	t_register(&word);
	enter(&word);
	raise(SIGUSR1);
	EQ(runs, 3);
	leave(&word);
	EQ(runs, 4);
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), 0);
}

static void by_default(void)
{
	signal(SIGSEGV, SIG_DFL);
	map_and_register();
	munmap((void *)page, 4096);
	raise(SIGUSR1);
}

static void while_blocked(void)
{
	t_handle(SIGUSR1, handler, 0, ~(uint64_t)0);
	by_default();
}

static void *volatile unrelated_address, *volatile elsewhere = (void *)8;

static void unrelated(void)
{
	t_register(&word);
	*(volatile int *)elsewhere = 1;
}



static void ends(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	unrelated_address = info->si_addr;
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), 0); // is still registered
	_exit(unrelated_address == elsewhere ? 5 : 6);
}

int main(void)
{
	struct rlimit none = {0, 0};

	t_start();
	setrlimit(RLIMIT_CORE, &none);
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle_info(SIGSEGV, on_fault, 0, 0);
	for (int i = 0; i < 5; i++)
		by_handler();
	EQ(WTERMSIG(t_child(by_default)), SIGSEGV);
	EQ(WTERMSIG(t_child(while_blocked)), SIGSEGV);
	t_handle_info(SIGSEGV, ends, 0, 0);
	EQ(WEXITSTATUS(t_child(unrelated)), 5);
	return 0;
}
