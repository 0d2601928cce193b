// SPDX-License-Identifier: MIT
// SA_SIGINFO: who sent it, how, and the interrupted context; without it the signal alone.
#include "t.h"

static volatile int runs, last_sig, code;
static volatile pid_t sender;
static volatile uid_t user;
static volatile int value;
static volatile int in_main;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	last_sig = sig;
	EQ(info->si_signo, sig);
	code = info->si_code;
	sender = info->si_pid;
	user = info->si_uid;
	value = info->si_value.sival_int;
	CHECK(uc != NULL);
	CHECK(uc->uc_mcontext.gregs[REG_RIP] != 0);
	CHECK(uc->uc_mcontext.fpregs != NULL);
	runs++;
}

static void context_only(int sig, siginfo_t *info, void *context)
{
	(void)info;
	ucontext_t *uc = context;
	EQ(t_bits(&uc->uc_sigmask), 0);
	EQ(t_view(), BIT(sig) | BIT(SIGHUP));
	runs++;
}

static void bare(int sig)
{
	last_sig = sig;
	runs++;
}

int main(void)
{
	t_start();
	t_handle_info(SIGUSR1, handler, 0, 0);
	kill(getpid(), SIGUSR1);
	EQ(last_sig, SIGUSR1);
	EQ(code, SI_USER);
	EQ(sender, getpid());
	EQ(user, getuid());
	raise(SIGUSR1);
	EQ(code, SI_TKILL);
	union sigval v = {.sival_int = 4711};
	EQ(sigqueue(getpid(), SIGUSR1, v), 0);
	EQ(code, SI_QUEUE);
	EQ(value, 4711);
	EQ(runs, 3);
	pid_t child = fork();
	if (child == 0) {
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	t_wait(child);
	EQ(runs, 4);
	EQ(sender, child);

	// The kernel passes the context whatever the flags say; only siginfo is not filled.
	t_handle(SIGUSR1, (void (*)(int))(void *)context_only, 0, BIT(SIGHUP));
	raise(SIGUSR1);
	EQ(runs, 5);
	t_handle(SIGUSR2, bare, 0, 0);
	raise(SIGUSR2);
	EQ(last_sig, SIGUSR2);
	EQ(runs, 6);
	return 0;
}
