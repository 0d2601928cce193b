// SPDX-License-Identifier: MIT
// Prints what a program sees of calls that fail: results, errno, and the mask and the
// dispositions afterwards. The kernel's word comes from /proc, which needs no signal call.
//
//     observe              with whatever already fails
//     observe NUMBER ERROR   after a quiet start, every change by that call fails
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "filter.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define BIT(sig) (UINT64_C(1) << ((sig) - 1))

static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void other_handler(int sig)
{
	(void)sig;
	runs += 100;
}

static unsigned long long status(const char *field)
{
	char line[256];
	unsigned long long value = 0;
	FILE *f = fopen("/proc/thread-self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, field, strlen(field)))
			sscanf(line + strlen(field), " %llx", &value);
	if (f)
		fclose(f);
	return value;
}

// A call that changes nothing may succeed with the runtime where it fails without: it is
// left out where it would change nothing.
static int kernel_blocks(int sig)
{
	return (status("SigBlk:") & BIT(sig)) != 0;
}

static sigset_t set_of(uint64_t mask)
{
	sigset_t set;
	sigemptyset(&set);
	memcpy(&set, &mask, sizeof mask);
	return set;
}

static uint64_t bits(const sigset_t *set)
{
	uint64_t mask;
	memcpy(&mask, set, sizeof mask);
	return mask;
}

static void show_mask(const char *what, int ret, int err)
{
	sigset_t now = set_of(0xbad);
	int query = sigprocmask(SIG_BLOCK, NULL, &now);
	printf("%s = %d errno %d; query %d %llx; kernel %llx\n", what, ret, err, query,
	       (unsigned long long)bits(&now), status("SigBlk:"));
}

static void show_action(const char *what, long ret, int err)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	int query = sigaction(SIGUSR1, NULL, &act);
	printf("%s = %ld errno %d; query %d %s %x %llx; ignored %llx caught %llx\n", what, ret, err,
	       query,
	       act.sa_handler == handler         ? "handler"
	       : act.sa_handler == other_handler ? "other"
	       : act.sa_handler == SIG_IGN       ? "ignored"
	                                         : "default",
	       (unsigned)act.sa_flags, (unsigned long long)bits(&act.sa_mask), status("SigIgn:"),
	       status("SigCgt:") & ~(BIT(32) | BIT(33)));
}

#define TRY(show, call)                                                                            \
	do {                                                                                       \
		errno = 0;                                                                         \
		long ret_ = (long)(call);                                                          \
		show(#call, ret_, errno);                                                          \
	} while (0)

// A handler's address differs from run to run.
static long plain(sighandler_t old)
{
	return old == handler ? 1000 : old == other_handler ? 2000 : (long)old;
}

static void masks(void)
{
	sigset_t one = set_of(BIT(SIGUSR1)), two = set_of(BIT(SIGHUP) | BIT(SIGRTMIN)),
	         none = set_of(0), old = set_of(0xeee);
	TRY(show_mask, sigprocmask(SIG_BLOCK, &one, &old));
	printf("old %llx\n", (unsigned long long)bits(&old));
	TRY(show_mask, sigprocmask(SIG_SETMASK, &two, NULL));
	TRY(show_mask, sigprocmask(9, &two, NULL));
	if (kernel_blocks(SIGHUP))
		TRY(show_mask, pthread_sigmask(SIG_UNBLOCK, &two, &old));
	TRY(show_mask, pthread_sigmask(SIG_SETMASK, &one, NULL));
	TRY(show_mask, sighold(SIGTERM));
	if (kernel_blocks(SIGHUP))
		TRY(show_mask, sigrelse(SIGHUP));
	TRY(show_mask, sigblock(1 << (SIGTERM - 1)));
	TRY(show_mask, sigsetmask(1 << (SIGALRM - 1)));
	TRY(show_mask, plain(sigset(SIGWINCH, SIG_HOLD)));
	if (status("SigBlk:"))
		TRY(show_mask, sigprocmask(SIG_SETMASK, &none, &old));
}

static volatile int turn;

static void jumps_and_contexts(void)
{
	sigjmp_buf env;
	ucontext_t context;
	int value = sigsetjmp(env, 1);
	if (value == 0) {
		sigset_t one = set_of(BIT(SIGUSR2));
		sigprocmask(SIG_BLOCK, &one, NULL);
		siglongjmp(env, 1);
	}
	show_mask("siglongjmp", value, 0);
	int got = getcontext(&context);
	show_mask("getcontext", got, got ? errno : 0);
	if (got == 0 && turn++ == 0) {
		uint64_t other = BIT(SIGALRM);
		memcpy(&context.uc_sigmask, &other, sizeof other);
		TRY(show_mask, setcontext(&context));
		ucontext_t here;
		TRY(show_mask, swapcontext(&here, &context));
	}
}

static void actions(void)
{
	struct sigaction act, old;
	memset(&act, 0, sizeof act);
	memset(&old, 0, sizeof old);
	act.sa_handler = other_handler;
	act.sa_mask = set_of(BIT(SIGTERM));
	TRY(show_action, sigaction(SIGUSR1, &act, &old));
	TRY(show_action, sigaction(SIGUSR1, &act, NULL));
	TRY(show_action, plain(signal(SIGUSR1, other_handler)));
	TRY(show_action, plain(sysv_signal(SIGUSR1, SIG_IGN)));
	TRY(show_action, siginterrupt(SIGUSR1, 1));
	TRY(show_action, sigignore(SIGUSR1));
}

static void *thread(void *arg)
{
	show_mask("thread", 0, 0);
	return arg;
}

static void threads(void)
{
	pthread_t id;
	int ret = pthread_create(&id, NULL, thread, NULL);
	if (ret == 0)
		pthread_join(id, NULL);
	show_mask("pthread_create", ret, 0);
}

static void deliveries(void)
{
	struct sigaction act;
	if (sigaction(SIGUSR1, NULL, &act) || act.sa_handler == SIG_DFL)
		return;
	runs = 0;
	raise(SIGUSR1);
	printf("runs %d\n", runs);
	show_mask("raise", 0, 0);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	sigset_t start = set_of(BIT(SIGHUP));
	sigprocmask(SIG_SETMASK, &start, NULL);
	signal(SIGUSR1, handler);
	if (argc == 3)
		make_fail((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]), 1);
	masks();
	deliveries();
	actions();
	deliveries();
	jumps_and_contexts();
	threads();
	// Not exit(): whatever runs then may want a signal call.
	_exit(0);
}
