// SPDX-License-Identifier: MIT
// The handlers: distinct functions, so that it shows which of them runs. Each does a few
// operations of its own, may write the mask in its context, and may jump out.
#include "fuzz.h"

#define KINDS 6
static volatile int invocations[NSIG];

int fz_invocations(int sig)
{
	return invocations[sig];
}

static const char *sender(const siginfo_t *info)
{
	if (info->si_code != SI_USER && info->si_code != SI_QUEUE && info->si_code != SI_TKILL)
		return "-";
	return info->si_pid == (pid_t)t_syscall(SYS_getpid, 0, 0, 0, 0) ? "self" : "other";
}

static int payload(int sig, const siginfo_t *info)
{
	if (info->si_code == SI_QUEUE)
		return info->si_value.sival_int;
	return sig == SIGCHLD && info->si_code > 0 ? info->si_status : 0;
}

static void describe(int kind, int sig, const siginfo_t *info, const ucontext_t *context)
{
	unsigned long long outer = t_bits(&context->uc_sigmask);
	char mask[FZ_MASK_TEXT];
	fz_mask_text(mask, sizeof mask);
	if (info)
		fz_line("handler I%d signal %d code %d from %s payload %d context %llx mask %s", kind,
		        sig, info->si_code, sender(info), payload(sig, info), outer, mask);
	else
		fz_line("handler H%d signal %d context %llx mask %s", kind, sig, outer, mask);
}

static void act(int kind, int sig, ucontext_t *context)
{
	struct random random = {fz_mix(fz_seed, (uint64_t)(1000000 + kind * 100 + sig))};
	fz_run_list(fz_next(&random), fz_below(&random, 4));
	if (fz_below(&random, 5) == 0) {
		uint64_t mask = fz_mask(&random);
		memcpy(&context->uc_sigmask, &mask, sizeof mask);
		fz_line("context's mask := %llx", (unsigned long long)mask);
	}
	if (fz_below(&random, 4) == 0 && fz_can_jump())
		fz_jump(&random);
}

static void handle(int kind, int sig, siginfo_t *info, void *context)
{
	struct stack *stack = fz_stack();
	invocations[sig]++;
	describe(kind, sig, info, context);
	if (stack->depth >= 4 || fz_budget <= 0)
		return;
	stack->depth++;
	act(kind, sig, context);
	stack->depth--;
	fz_result("handler %c%d signal %d ends", info ? 'I' : 'H', kind, sig);
}

#define HANDLERS(kind)                                                                             \
	static void with_info##kind(int sig, siginfo_t *info, void *context)                       \
	{                                                                                          \
		handle(kind, sig, info, context);                                                  \
	}                                                                                          \
	static void without_info##kind(int sig, siginfo_t *info, void *context)                    \
	{                                                                                          \
		(void)info;                                                                        \
		handle(kind, sig, NULL, context);                                                  \
	}
HANDLERS(0)
HANDLERS(1)
HANDLERS(2)
HANDLERS(3)
HANDLERS(4)
HANDLERS(5)

static void (*const with_info[KINDS])(int, siginfo_t *, void *) = {
	with_info0, with_info1, with_info2, with_info3, with_info4, with_info5};
static void (*const without_info[KINDS])(int, siginfo_t *, void *) = {
	without_info0, without_info1, without_info2, without_info3, without_info4, without_info5};
static const char *const names[2][KINDS] = {{"I0", "I1", "I2", "I3", "I4", "I5"},
                                            {"H0", "H1", "H2", "H3", "H4", "H5"}};

// `flags` NULL: the interface has none, so the handler may not look at siginfo.
fz_handler fz_pick_handler(struct random *random, int *flags)
{
	int kind = fz_below(random, KINDS);
	if (flags && fz_below(random, 2)) {
		*flags |= SA_SIGINFO;
		return (fz_handler)(void *)with_info[kind];
	}
	return (fz_handler)(void *)without_info[kind];
}

const char *fz_disposition_name(void *handler)
{
	if (handler == (void *)SIG_DFL)
		return "dfl";
	if (handler == (void *)SIG_IGN)
		return "ign";
	if (handler == (void *)SIG_HOLD)
		return "hold";
	if (handler == (void *)SIG_ERR)
		return "err";
	for (int i = 0; i < KINDS; i++) {
		if (handler == (void *)with_info[i])
			return names[0][i];
		if (handler == (void *)without_info[i])
			return names[1][i];
	}
	return "unknown";
}
