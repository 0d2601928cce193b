// SPDX-License-Identifier: MIT
// A filter that kills for sigfastblock(2): inherited from the program before, nobody asks for that
// call; set up by the program itself, sections go on without it. In a section too.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "word.h"

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void confine(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 573, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(T_SKIP);
}

static void sections(int n)
{
	for (int i = 0; i < n; i++) {
		runs = 0;
		sigzero_block();
		raise(SIGUSR1);
		EQ(runs, 0);
		sigzero_unblock();
		EQ(runs, 1);
	}
}

static void *in_thread(void *unused)
{
	sections(10);
	return unused;
}

static void and_in_a_thread(void)
{
	pthread_t thread;

	sections(100);
	EQ(pthread_create(&thread, NULL, in_thread, NULL), 0);
	EQ(pthread_join(thread, NULL), 0);
	MASK(0);
}

static void later(void)
{
	sections(100);
	confine();
	and_in_a_thread();
}

static void inside(void)
{
	sections(100);
	runs = 0;
	sigzero_block();
	raise(SIGUSR1);
	sigzero_block();
	confine();
	sigzero_unblock();
	EQ(runs, 0);
	sigzero_unblock();
	EQ(runs, 1);
	and_in_a_thread();
}

static void child_of_confined(void)
{
	errno = 0;
	if (sigfastblock(SIGFASTBLOCK_SETPTR, (void *)&word) == -1)
		EQ(errno, ENOSYS);
	else
		EQ(sigfastblock(SIGFASTBLOCK_UNSETPTR, NULL), 0);
	and_in_a_thread();
}

static char *self;

static void confined(void)
{
	confine();
	execl(self, self, "confined", NULL);
	_exit(9);
}

int main(int argc, char **argv)
{
	int status;

	self = argv[0];
	t_start();
	t_handle(SIGUSR1, handler, 0, 0);
	if (argc > 1) {
		child_of_confined();
		return 0;
	}
	status = t_child(confined);
	if (WIFEXITED(status) && WEXITSTATUS(status) == T_SKIP)
		return T_SKIP;
	EQ(status, 0);
	EQ(t_child(later), 0);
	EQ(t_child(inside), 0);
	return 0;
}
