// SPDX-License-Identifier: MIT
// Calls that could wait, but find what they want at once, in a tight loop under a storm of
// signals whose handlers have no SA_RESTART: none of them fails.
#include "lazy.h"
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

#define NO_ERROR(call)                                                                             \
	do {                                                                                       \
		errno = 0;                                                                         \
		if ((call) < 0)                                                                    \
			t_equal(errno, 0, #call, __FILE__, __LINE__);                              \
	} while (0)

static int ends[2], pair[2], event;
static sem_t sem;

static void of_a_pipe(void)
{
	char byte = 0;
	for (int i = 0; i < 64; i++)
		NO_ERROR(write(ends[1], &byte, 1));
	for (int i = 0; i < 64; i++)
		NO_ERROR(read(ends[0], &byte, 1));
}

static void of_a_socket(void)
{
	char byte = 0;
	for (int i = 0; i < 16; i++)
		NO_ERROR(send(pair[1], &byte, 1, 0));
	for (int i = 0; i < 16; i++)
		NO_ERROR(recv(pair[0], &byte, 1, 0));
}

static void of_events(void)
{
	uint64_t n = 16;
	NO_ERROR(write(event, &n, sizeof n));
	for (int i = 0; i < 16; i++)
		NO_ERROR(read(event, &n, sizeof n));
	for (int i = 0; i < 16; i++)
		NO_ERROR(sem_post(&sem));
	for (int i = 0; i < 16; i++)
		NO_ERROR(sem_wait(&sem));
}

// The library's functions use many registers in between; this uses none.
static void by_one_instruction(void)
{
	char bytes[64];
	long ret;
	register long left __asm__("r12") = sizeof bytes;
	NO_ERROR(write(ends[1], bytes, sizeof bytes));
	__asm__ volatile("1: xor %%eax, %%eax\n\tsyscall\n\ttest %%rax, %%rax\n\tjs 2f\n\t"
	                 "dec %%r12\n\tjnz 1b\n2:"
	                 : "=&a"(ret), "+&r"(left)
	                 : "D"((long)ends[0]), "S"(bytes), "d"(1L)
	                 : "rcx", "r11", "memory");
	EQ(ret, 1);
}

int main(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	t_hot();
	EQ(pipe(ends), 0);
	EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	event = eventfd(0, EFD_SEMAPHORE);
	EQ(sem_init(&sem, 0, 0), 0);
	t_handle(SIGALRM, handler, 0, 0);
	t_setmask(BIT(SIGALRM));
	t_setmask(0);
	EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	long long end = t_now_ms() + 700;
	while (t_now_ms() < end || runs < 500) {
		of_a_pipe();
		of_a_socket();
		of_events();
		by_one_instruction();
	}
	EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
	return 0;
}
