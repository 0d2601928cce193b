// SPDX-License-Identifier: GPL-2.0
// io_uring completes by work that it adds to the thread, which comes along the way of signals though
// it is none, and by workers, which are threads of the process. Neither may disturb a section, take
// what it holds back, or be held back by it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/sigfastblock.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static volatile uint32_t word;
static volatile int handled;
static volatile pid_t handled_by;

static int ring, ends[2];
static unsigned int *tail, *mask, *array;
static unsigned int *done_head, *done_tail, *done_mask;
static struct io_uring_sqe *requests;
static struct io_uring_cqe *done;
static char byte;

static void handler(int sig)
{
	(void)sig;
	handled_by = syscall(SYS_gettid);
	handled++;
}

static bool set_up(void)
{
	struct io_uring_params p = { 0 };
	char *rings, *completions;

	ring = syscall(SYS_io_uring_setup, 8, &p);
	if (ring < 0)
		return false;
	rings = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(int), PROT_READ | PROT_WRITE,
		     MAP_SHARED, ring, IORING_OFF_SQ_RING);
	completions = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*done), PROT_READ | PROT_WRITE,
			   MAP_SHARED, ring, IORING_OFF_CQ_RING);
	requests = mmap(NULL, p.sq_entries * sizeof(*requests), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			IORING_OFF_SQES);
	tail = (unsigned int *)(rings + p.sq_off.tail);
	mask = (unsigned int *)(rings + p.sq_off.ring_mask);
	array = (unsigned int *)(rings + p.sq_off.array);
	done_head = (unsigned int *)(completions + p.cq_off.head);
	done_tail = (unsigned int *)(completions + p.cq_off.tail);
	done_mask = (unsigned int *)(completions + p.cq_off.ring_mask);
	done = (struct io_uring_cqe *)(completions + p.cq_off.cqes);
	return rings != MAP_FAILED && completions != MAP_FAILED && requests != MAP_FAILED;
}

static void submit_read(unsigned char flags)
{
	unsigned int at = *tail & *mask;

	memset(&requests[at], 0, sizeof(requests[at]));
	requests[at].opcode = IORING_OP_READ;
	requests[at].fd = ends[0];
	requests[at].addr = (uintptr_t)&byte;
	requests[at].len = 1;
	requests[at].flags = flags;
	array[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
}

static bool completed(void)
{
	return *done_head != __atomic_load_n(done_tail, __ATOMIC_ACQUIRE);
}

// The result of the read; *ended counts how often the wait for it did without one.
static int wait_for_read(int *ended)
{
	int result;

	while (!completed()) {
		if (syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 &&
		    errno == EINTR)
			++*ended;
	}
	result = done[*done_head & *done_mask].res;
	__atomic_store_n(done_head, *done_head + 1, __ATOMIC_RELEASE);
	return result;
}

// Another process: a signal after SIGNAL_AT ms (0: none), the byte after BYTE_AT.
static pid_t later(int sig, int signal_at, int byte_at)
{
	pid_t pid = getpid(), child = fork();

	if (child)
		return child;
	usleep(signal_at * 1000);
	if (signal_at)
		kill(pid, sig);
	usleep((byte_at - signal_at) * 1000);
	_exit(write(ends[1], "x", 1) != 1);
}

static void in_section(const char *how, unsigned char flags, int signal_at)
{
	int ended = 0, result, before;
	pid_t child;

	handled = 0;
	word += SIGFASTBLOCK_INC;
	child = later(SIGUSR1, signal_at, 80);
	submit_read(flags);
	result = wait_for_read(&ended);
	waitpid(child, NULL, 0);
	before = handled;
	check(result == 1, "%s: read %d", how, result);
	check(ended <= !!signal_at, "%s: the wait ended early %d times", how, ended);
	check(!before && word == (SIGFASTBLOCK_INC | (signal_at ? SIGFASTBLOCK_PEND : 0)),
	      "%s: handled %d, word %#x", how, before, word);
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
	check(handled == !!signal_at && word == 0 && (!handled || handled_by == getpid()),
	      "%s: handled at the end, by this thread", how);
}

int main(void)
{
	signal(SIGUSR1, handler);
	if (pipe(ends) || !set_up()) {
		printf("skip: no io_uring\n");
		return 77;
	}
	syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word);
	for (int i = 0; i < 5; i++) {
		in_section("undisturbed", 0, 0);
		in_section("undisturbed, by a worker", IOSQE_ASYNC, 0);
		in_section("with a signal", 0, 20);
		in_section("with a signal, by a worker", IOSQE_ASYNC, 20);
	}
	return test_status();
}
