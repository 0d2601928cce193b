// SPDX-License-Identifier: MIT
// Waiting by syscall() and by a system-call instruction of the program's own while a signal
// comes.
#include "lazy_call.h"
#include <linux/futex.h>
#include <poll.h>

static int ends[2];
static char buffer[16];
static volatile int *word;

static void open_empty(void)
{
	EQ(pipe(ends), 0);
	*word = 0;
}

static void close_both(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void fill(void)
{
	EQ(write(ends[1], "x", 1), 1);
}

static void wake(void)
{
	*word = 1;
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int by_syscall_read(void)
{
	return (int)syscall(SYS_read, ends[0], buffer, 1L);
}

static int by_syscall_poll(void)
{
	struct pollfd one = {ends[0], POLLIN, 0};
	return (int)syscall(SYS_poll, &one, 1L, 60000L);
}

static int by_syscall_futex(void)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static int by_syscall_futex_limit(void)
{
	struct timespec limit = {60, 0};
	return (int)syscall(SYS_futex, word, FUTEX_WAIT, 0, &limit, NULL, 0);
}

static int by_instruction(void)
{
	long ret = t_syscall(SYS_read, ends[0], (long)buffer, 1, 0);
	errno = ret < 0 ? (int)-ret : 0;
	return ret < 0 ? -1 : (int)ret;
}

int main(void)
{
	static const struct call calls[] = {
		{"syscall read", RESTARTS, by_syscall_read, fill, open_empty, close_both},
		{"syscall poll", ENDS, by_syscall_poll, fill, open_empty, close_both},
		{"syscall futex", RESTARTS, by_syscall_futex, wake, open_empty, close_both},
		{"syscall futex with limit", ENDS, by_syscall_futex_limit, wake, open_empty,
	         close_both},
		{"own read", RESTARTS, by_instruction, fill, open_empty, close_both},
	};
	t_hot();
	word = t_share(sizeof *word);
	CALL_ALL(calls);
	return 0;
}
