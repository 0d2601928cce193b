// SPDX-License-Identifier: MIT
// What FreeBSD's author named as missing: a word that was overwritten makes nobody immune to ^C. It
// is reported, as is a count below 0 and a section that is never left, and signals go through.
#include "word.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void warm_up(void)
{
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

// Runs it in a child and demands one line with `expected` and the thread in it, or none.
static void reports(void (*body)(void), const char *expected, int status)
{
	char text[2048] = {0}, thread[32];
	int ends[2];
	size_t used = 0;
	ssize_t n;

	EQ(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 2);
		close(ends[0]);
		warm_up();
		body();
		exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + used, sizeof text - 1 - used)) > 0)
		used += (size_t)n;
	close(ends[0]);
	int ended = t_wait(child);
	if (ended != status)
		t_fail(__FILE__, __LINE__, text);
	if (!expected && *text)
		t_fail(__FILE__, __LINE__, text);
	if (!expected)
		return;
	snprintf(thread, sizeof thread, "thread %d: ", (int)child);
	if (!strstr(text, expected) || !strstr(text, thread) || !strstr(text, "word 0x") ||
	    strchr(text, '\n') != text + used - 1)
		t_fail(__FILE__, __LINE__, *text ? text : "nothing was reported");
}

static void below_zero(void)
{
	sigzero_block();
	sigzero_unblock();
	sigzero_unblock();
	EQ(sigzero_blocked(), 0);
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_block();
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
	MASK(0);
	sigzero_unblock(); // said once a thread
}

static void below_zero_in_word(void)
{
	sigzero_self.word = 0u - SIGFASTBLOCK_INC;
	sigzero_self.copy = SIGFASTBLOCK_INC;
	raise(SIGUSR1);
	EQ(runs, 1);
	raise(SIGUSR1);
	EQ(runs, 2);
	sigzero_self.word = 0;
	sigzero_self.copy = 0;
}

static void overwritten_outside(void)
{
	sigzero_self.word = 0x41414140;
	raise(SIGUSR1);
	EQ(runs, 1);
	raise(SIGUSR1);
	EQ(runs, 2);
	sigzero_self.word = 0;
}

static void overwritten_then_killed(void)
{
	sigzero_self.word = 0x41414140;
	raise(SIGINT);
}

// The kernel looks at one word only, so this is found when the next section is entered.
static void overwritten_for_kernel(void)
{
	sigzero_self.word = 0x41414140;
	raise(SIGUSR1);
	EQ(runs, 0);
	sigzero_block();
	EQ(runs, 1);
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
	EQ(sigzero_self.word, 0);
}

static void overwritten_inside(void)
{
	sigzero_block();
	sigzero_self.word = 0x41414141;
	sigzero_unblock();
	EQ(sigzero_blocked(), 0);
	MASK(0);
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_block();
	raise(SIGUSR1);
	EQ(runs, 1);
	sigzero_unblock();
	EQ(runs, 2);
}

static void zeroed_while_held(void)
{
	sigzero_block();
	raise(SIGUSR1);
	sigzero_self.word = 0;
	sigzero_self.copy = 0;
	sigzero_unblock();
	EQ(runs, 1);
	MASK(0);
}

static void copy_overwritten(void)
{
	sigzero_block();
	raise(SIGUSR1);
	sigzero_self.copy = 7;
	sigzero_unblock();
	EQ(runs, 1);
	MASK(0);
}

static void flags_overwritten(void)
{
	sigzero_block();
	sigzero_self.word |= 0xe;
	sigzero_unblock();
	EQ(sigzero_self.word, 0);
	raise(SIGUSR1);
	EQ(runs, 1);
	MASK(0);
}

static void in_the_middle(void)
{
	// As a handler finds it between the two additions of entering or leaving.
	sigzero_self.word = SIGFASTBLOCK_INC;
	if (!sigzero_slow)
		raise(SIGUSR1);
	EQ(runs, 0);
	sigzero_self.copy = 0u - SIGFASTBLOCK_INC;
	sigzero_unblock();
	EQ(runs, !sigzero_slow);
	sigzero_unblock();
}

static void never_left(void)
{
	sigzero_block();
}

static void left_by_exit_in_time(void)
{
	sigzero_block();
	sigzero_unblock();
	exit(0);
}

static void *thread_in_section(void *tid)
{
	*(pid_t *)tid = gettid();
	sigzero_block();
	raise(SIGUSR1);
	sigzero_unblock(); // by the slow path, or its end would not be seen
	sigzero_block();
	return NULL;
}

static void thread_never_left(void)
{
	char text[1024] = {0}, expected[128];
	pthread_t thread;
	int ends[2];
	pid_t tid;

	EQ(pipe(ends), 0);
	EQ(dup2(ends[1], 2), 2);
	EQ(pthread_create(&thread, NULL, thread_in_section, &tid), 0);
	EQ(pthread_join(thread, NULL), 0);
	CHECK(read(ends[0], text, sizeof text - 1) > 0);
	snprintf(expected, sizeof expected, "thread %d: ended inside a section (word 0x1", (int)tid);
	CHECK(strstr(text, expected) != NULL);
	EQ(runs, 1);
	MASK(0);
	_exit(0);
}

int main(void)
{
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	reports(below_zero, "left more sections than it entered", 0);
	reports(overwritten_inside, "wrote over the words of its section", 0);
	reports(zeroed_while_held, "left more sections than it entered", 0);
	reports(copy_overwritten, "wrote over the words of its section", 0);
	reports(flags_overwritten, NULL, 0);
	reports(never_left, "ended inside a section", 0);
	reports(left_by_exit_in_time, NULL, 0);
	EQ(t_child(thread_never_left), 0);
	warm_up();
	if (!sigzero_slow) {
		reports(below_zero_in_word, "left more sections than it entered", 0);
		reports(overwritten_outside, "wrote over the words of its section", 0);
		reports(overwritten_then_killed, "wrote over the words of its section", SIGINT);
		reports(in_the_middle, "left more sections than it entered", 0);
	}
	if (t_by_kernel() && !t_is_off() && !t_started_with("SIGZERO_MODE=watch"))
		reports(overwritten_for_kernel, "wrote over the words of its section", 0);
	return 0;
}
