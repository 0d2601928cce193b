// SPDX-License-Identifier: MIT
// fork inherits the registration and the word, vfork shares it, a new thread and a new program
// have none.
#include <spawn.h>

#include "word.h"

static volatile int runs;
static char *self;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void child_of_fork(void)
{
	EQ(word & ~SIGFASTBLOCK_PEND, SIGFASTBLOCK_INC);
	errno = 0;
	EQ(sigfastblock(SIGFASTBLOCK_SETPTR, (void *)&word), -1);
	EQ(errno, EBUSY);
	raise(SIGUSR2);
	EQ(runs, 0);
	leave(&word);
	EQ(runs, 1);
	enter(&word);
	raise(SIGUSR1);
	EQ(runs, 1);
	leave(&word);
	EQ(runs, 2);
	MASK(BIT(SIGHUP));
}

static void fork_in_section(void)
{
	runs = 0;
	enter(&word);
	EQ(t_child(child_of_fork), 0);
	raise(SIGUSR1);
	EQ(t_child(child_of_fork), 0);
	EQ(runs, 0);
	leave(&word);
	EQ(runs, 1);
}

static void is_new_program(void)
{
	errno = 0;
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), -1);
	EQ(errno, EINVAL);
	MASK(BIT(SIGHUP));
	exit(0);
}

static pid_t exec_by_vfork(void)
{
	pid_t pid = vfork();
	if (pid == 0) {
		execl(self, self, "child", NULL);
		_exit(9);
	}
	return pid;
}

static void exec_in_section(int pending)
{
	extern char **environ;
	char *arguments[] = {self, "child", NULL};
	int delivered = pending && !t_by_kernel();
	pid_t pid;

	runs = 0;
	enter(&word);
	if (pending)
		raise(SIGUSR1);
	EQ(t_wait(exec_by_vfork()), 0);
	EQ(runs, 0);
	EQ(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
	EQ(t_wait(pid), 0);
	errno = 0;
	EQ(execl("/nonexistent/program", "program", NULL), -1);
	EQ(errno, ENOENT);
	EQ(runs, delivered); // a kernel leaves it to the new program
	raise(SIGUSR1);
	EQ(runs, delivered);
	EQ(word & ~SIGFASTBLOCK_PEND, SIGFASTBLOCK_INC);
	leave(&word);
	EQ(runs, delivered + 1);
	EQ(word, 0);
	MASK(BIT(SIGHUP));
}

static void *new_thread(void *unused)
{
	static __thread volatile uint32_t own;

	errno = 0;
	EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), -1);
	EQ(errno, EINVAL);
	runs = 0;
	MASK(BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(runs, 1);
	t_register(&own);
	enter(&own);
	raise(SIGUSR1);
	EQ(runs, 1);
	leave(&own);
	EQ(runs, 2);
	return unused; // ends with a word registered, which is its own affair
}

static void thread_in_section(void)
{
	pthread_t thread;

	enter(&word);
	EQ(pthread_create(&thread, NULL, new_thread, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	leave(&word);
	MASK(BIT(SIGHUP));
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 1)
		is_new_program();
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	t_handle(SIGUSR2, handler, 0, 0);
	t_setmask(BIT(SIGHUP));
	t_register(&word);
	for (int i = 0; i < 5; i++) {
		fork_in_section();
		exec_in_section(0);
		exec_in_section(1);
		thread_in_section();
	}
	return 0;
}
