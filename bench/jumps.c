// SPDX-License-Identifier: MIT
// What jumps cost with and without the signal mask, and beside them the plain signal
// calls and the cheapest system call there is.
#include "bench.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static sigjmp_buf sig_env;
static jmp_buf env;
static void *builtin_env[5];

static void sigsetjmp_pair(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		if (!sigsetjmp(sig_env, 1))
			siglongjmp(sig_env, 1);
}

static void sigsetjmp_alone(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		if (sigsetjmp(sig_env, 1))
			return;
}

static void setjmp_pair(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		if (!_setjmp(env))
			_longjmp(env, 1);
}

// The builtin may not jump within the function that set it.
__attribute__((noinline)) static void builtin_jump(void)
{
	__builtin_longjmp(builtin_env, 1);
}

static void builtin_pair(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		if (!__builtin_setjmp(builtin_env))
			builtin_jump();
}

static void query(unsigned long n)
{
	sigset_t old;

	for (volatile unsigned long i = 0; i < n; i++)
		sigprocmask(SIG_SETMASK, NULL, &old);
}

static void block_restore(unsigned long n)
{
	sigset_t all, old;

	sigfillset(&all);
	for (volatile unsigned long i = 0; i < n; i++) {
		pthread_sigmask(SIG_BLOCK, &all, &old);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
}

static void on_signal(int sig)
{
	(void)sig;
}

static void sigaction_same(unsigned long n)
{
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	for (volatile unsigned long i = 0; i < n; i++)
		sigaction(SIGUSR1, &act, NULL);
}

static void getppid_libc(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		getppid();
}

static void getppid_by_number(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void empty_loop(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		;
}

int main(void)
{
	static const struct bench_case cases[] = {
		{"sigsetjmp(,1)+siglongjmp", sigsetjmp_pair, 1},
		{"sigsetjmp(,1)", sigsetjmp_alone, 1},
		{"_setjmp+_longjmp", setjmp_pair, 1},
		{"__builtin_setjmp+longjmp", builtin_pair, 1},
		{"sigprocmask query", query, 1},
		{"pthread_sigmask block+restore", block_restore, 1},
		{"sigaction no change", sigaction_same, 1},
		{"getppid()", getppid_libc, 1},
		{"syscall(SYS_getppid)", getppid_by_number, 1},
		{"empty loop", empty_loop, 1},
	};

	bench_run(cases, sizeof cases / sizeof *cases);
	return 0;
}
