// SPDX-License-Identifier: GPL-2.0
// Restartable sequences and sections of sigfastblock(2) in one thread. A sequence is aborted when a
// handler's frame is made, for which get_signal() has to return true, or when the thread was switched
// away from; a signal that a section holds back does neither: get_signal() returns false, no event is
// noted for rseq, and TIF_NOTIFY_RESUME stays as it was, so the sequence goes on where it was.
//
// Signals come from a timer on the thread's own processor, whose interrupt needs no switch. Where the
// kernel counted a switch all the same, an abort says nothing, and another signal is tried. An event
// outside of a sequence stays noted until a later one is aborted, which anything may bring about that
// sets TIF_NOTIFY_RESUME: so a sequence that is aborted comes before each that must not be.
#define _GNU_SOURCE
#include <linux/sigfastblock.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "test.h"

#ifndef TRIES
#define TRIES 100
#endif
enum { LOOPS = 1 << 26 };
enum outcome { ABORTED, COMMITTED, TIRED };

static volatile uint32_t word;
static volatile uint32_t handled;
static volatile uintptr_t handled_ip;
static volatile uint64_t handled_cs;
static const struct rseq_cs *sequence;

// glibc has registered it.
static volatile struct rseq *area(void)
{
	return (volatile struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (!handled++) {
		handled_ip = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
		handled_cs = area()->rseq_cs;
	}
}

static void enter(void) { __asm__ volatile("addl %1, %0" : "+m"(word) : "i"(SIGFASTBLOCK_INC) : "memory"); }

static void leave(void)
{
	if (__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST) ==
	    (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC))
		syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
}

// A sequence that waits until one of BITS is set in *FLAGS, and commits then. *WAITED: how often none
// was set; 0 if the sequence came too late to wait.
static enum outcome wait_in_sequence(volatile uint32_t *flags, uint32_t bits, uint64_t *waited)
{
	uint64_t left = LOOPS, where;
	int outcome = TIRED;

	__asm__ volatile(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"7:\t.long 0, 0\n\t"
		".quad 1f, 3f - 1f, 5f\n\t"
		".popsection\n\t"
		"leaq 7b(%%rip), %[where]\n\t"
		"movq %[where], %[sequence]\n\t"
		"movq %[where], %[cs]\n"
		"1:\ttestl %[bits], (%[flags])\n\t"
		"jnz 2f\n\t"
		"decq %[left]\n\t"
		"jnz 1b\n\t"
		"jmp 3f\n"
		"2:\tmovl %[committed], %[outcome]\n" // the sequence's one store
		"3:\tjmp 6f\n\t"
		".byte 0x0f, 0xb9, 0x3d\n\t" // ud1, so that the signature is no code
		".long %c[signature]\n"
		"5:\tmovl %[aborted], %[outcome]\n"
		"6:\tmovq $0, %[cs]\n"
		: [outcome] "+m"(outcome), [left] "+m"(left), [where] "=&r"(where), [sequence] "=m"(sequence),
		  [cs] "=m"(area()->rseq_cs)
		: [flags] "r"(flags), [bits] "r"(bits), [committed] "i"(COMMITTED), [aborted] "i"(ABORTED),
		  [signature] "i"(RSEQ_SIG)
		: "memory", "cc");
	*waited = LOOPS - left;
	return outcome;
}

static void pin(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void alarm_in(long microseconds)
{
	struct itimerval once = { .it_value.tv_usec = microseconds };

	setitimer(ITIMER_REAL, &once, NULL);
}

static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw + use.ru_nivcsw;
}

// Afterwards no event is noted. False if the alarm came too early.
static bool abort_one(void)
{
	uint64_t waited;
	bool aborted;

	handled = 0;
	alarm_in(200);
	aborted = wait_in_sequence(&handled, ~0u, &waited) == ABORTED;
	while (!handled)
		;
	handled = 0;
	return aborted && handled_ip == sequence->abort_ip;
}

// In a section a signal lets the sequence go on, and is handled at the section's end.
static void held_back(void)
{
	int during = 0, aborts = 0, wrong = 0, early = 0, late = 0;

	for (int tries = 0; during < TRIES && tries < 10 * TRIES; tries++) {
		enum outcome outcome;
		uint64_t waited;
		long before = switches();

		if (!abort_one())
			continue;
		enter();
		alarm_in(200 + 7 * tries);
		outcome = wait_in_sequence(&word, SIGFASTBLOCK_PEND, &waited);
		if (switches() != before) {
			aborts += outcome == ABORTED;
		} else if (waited) {
			during++;
			wrong += outcome != COMMITTED || area()->rseq_cs;
		}
		while (!(word & SIGFASTBLOCK_PEND))
			;
		early += handled != 0;
		leave();
		late += handled != 1 || word;
	}
	printf("# held back: %d signals in sequences, and %d aborts by switches\n", during, aborts);
	check(during == TRIES, "%d signals came in a section and in a sequence", during);
	check(!wrong, "each sequence went on: %d did not", wrong);
	check(!early, "none was handled in its section: %d were", early);
	check(!late, "each was handled once at its end: %d were not", late);
}

// Outside of a section the abort handler is where the handler returns to: the flag PEND alone is no
// section, and does not change that.
static void delivered(bool flagged)
{
	int during = 0, wrong = 0, where = 0, still = 0, count = flagged ? 2 : 1;

	for (int tries = 0; during < TRIES && tries < 10 * TRIES; tries++) {
		enum outcome outcome;
		uint64_t waited;
		long before = switches();

		if (!abort_one())
			continue;
		if (flagged) {
			enter();
			syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
			__atomic_fetch_sub(&word, SIGFASTBLOCK_INC, __ATOMIC_SEQ_CST);
		}
		alarm_in(200 + 7 * tries);
		outcome = wait_in_sequence(&handled, ~0u, &waited);
		if (switches() == before && waited) {
			during++;
			wrong += outcome != ABORTED;
			// With two, the first frame is that of the sequence, and its handler runs last.
			if (!flagged) {
				where += handled_ip != sequence->abort_ip;
				still += handled_cs != 0;
			}
		}
		while (handled < count)
			;
		if (flagged)
			syscall(__NR_sigfastblock, SIGFASTBLOCK_UNBLOCK, NULL);
	}
	check(during == TRIES && !wrong, "%s: %d signals came in a sequence, each aborted it: %d did not",
	      flagged ? "count 0, flag set" : "word 0", during, wrong);
	if (!flagged) {
		check(!where, "word 0: each handler's context has the abort handler's address: %d do not", where);
		check(!still, "word 0: no handler finds the sequence still set: %d do", still);
	}
	check(!word, "%s: the word is 0 again", flagged ? "count 0, flag set" : "word 0");
}

// Another process on the same processor: whoever is switched away from is aborted, in a section or
// not, whether or not something is held back.
static void preempted(bool section, bool pending)
{
	const char *what = !section ? "no section" : pending ? "a section that holds back" : "a section";
	int aborts = 0, stray = 0;
	pid_t other = fork();

	if (!other)
		for (;;)
			;
	handled = 0;
	if (section)
		enter();
	if (pending)
		syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	for (int i = 0; i < 10; i++) {
		long before = switches();
		uint64_t waited;

		// A bit that nobody sets.
		if (wait_in_sequence(&word, 0x2, &waited) == ABORTED) {
			aborts++;
			stray += switches() == before;
		}
	}
	check(aborts == 10 && !stray, "%s: %d of 10 sequences that were switched away from are aborted, %d others",
	      what, aborts, stray);
	check(!handled, "%s: and no handler ran", what);
	if (section)
		leave();
	check(handled == pending && !word, "%s: %d signals at its end", what, pending);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	if (!__rseq_size) {
		printf("skip: rseq is not registered\n");
		return 77;
	}
	pin(0);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (!check(!syscall(__NR_sigfastblock, SIGFASTBLOCK_SETPTR, &word), "the word is registered"))
		return 1;
	held_back();
	delivered(false);
	delivered(true);
	preempted(false, false);
	preempted(true, false);
	preempted(true, true);
	return test_status();
}
