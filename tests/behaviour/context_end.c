// SPDX-License-Identifier: MIT
// A context that returns without a successor ends the process as exit(0) does in its thread.
#include "t.h"
#include <ucontext.h>

static char stack[64 * 1024];
static int pipe_fd[2];

static void at_exit(void)
{
	EQ(write(pipe_fd[1], "e", 1), 1);
}

static void body(void)
{
	EQ(write(pipe_fd[1], "b", 1), 1);
}

static void falls_off(void)
{
	static ucontext_t here, there;
	atexit(at_exit);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = NULL;
	makecontext(&there, body, 0);
	swapcontext(&here, &there);
	_exit(9);
}

static void *thread_body(void *arg)
{
	falls_off();
	return arg;
}

static void falls_off_in_thread(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, thread_body, NULL);
	pthread_join(thread, NULL);
	_exit(8);
}

static void check(void (*how)(void))
{
	char text[3] = "";
	int status = t_child(how);
	CHECK(WIFEXITED(status));
	EQ(WEXITSTATUS(status), 0);
	EQ(read(pipe_fd[0], text, 2), 2);
	EQ(strcmp(text, "be"), 0);
}

int main(void)
{
	t_start();
	EQ(pipe(pipe_fd), 0);
	check(falls_off);
	check(falls_off_in_thread);
	return 0;
}
