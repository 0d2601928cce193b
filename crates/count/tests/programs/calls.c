// SPDX-License-Identifier: MIT
// Makes each counted system call exactly as often as told, by itself, in threads, and in children.
//   calls N THREADS CHILDREN
// Every share makes N of each; rt_sigreturn follows from the handled signals.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SET_SIZE 8
static long n;

static void handler(int sig) { (void)sig; }

static void ask(void)
{
	unsigned long set;
	stack_t stack;
	char action[64];
	struct timespec none = { 0, 0 };
	unsigned long usr2 = 1UL << (SIGUSR2 - 1);
	for (long i = 0; i < n; i++) {
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &set, SET_SIZE);
		syscall(SYS_rt_sigaction, SIGUSR1, NULL, action, SET_SIZE);
		syscall(SYS_sigaltstack, NULL, &stack);
		syscall(SYS_rt_sigpending, &set, SET_SIZE);
		syscall(SYS_rt_sigtimedwait, &usr2, NULL, &none, SET_SIZE);
		close((int)syscall(SYS_signalfd4, -1, &usr2, SET_SIZE, 0));
		syscall(SYS_kill, getpid(), 0);
		syscall(SYS_tkill, gettid(), 0);
	}
}

// Each turn: three signals to this thread, each handled, so three rt_sigreturn.
static void signal_self(void)
{
	unsigned long usr1 = 1UL << (SIGUSR1 - 1), none = 0;
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_code = SI_QUEUE;
	for (long i = 0; i < n; i++) {
		syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
		syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR1, &info);
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &usr1, NULL, SET_SIZE);
		syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
		syscall(SYS_rt_sigsuspend, &none, SET_SIZE);
		syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &usr1, NULL, SET_SIZE);
		syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info);
	}
}

static void *share(void *unused)
{
	ask();
	signal_self();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	n = atol(argv[1]);
	struct sigaction action = { .sa_handler = handler };
	sigaction(SIGUSR1, &action, NULL);
	share(NULL);
	pthread_t thread;
	for (int i = atoi(argv[2]); i > 0; i--) {
		pthread_create(&thread, NULL, share, NULL);
		pthread_join(thread, NULL);
	}
	for (int i = atoi(argv[3]); i > 0; i--) {
		if (fork() == 0)
			_exit(share(NULL) != NULL);
		wait(NULL);
	}
	return 0;
}
