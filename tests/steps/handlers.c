// SPDX-License-Identifier: MIT
// The handlers. What the handler of the signal that is sent in does is the second word of a
// row of the suite.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "target.h"

void (*handler_does)(ucontext_t *uc);
sigjmp_buf escape;
volatile sig_atomic_t can_escape, usr1_runs, usr2_runs;

static void look(ucontext_t *uc)
{
	(void)uc;
}

static void change_the_mask(ucontext_t *uc)
{
	(void)uc;
	change(SIG_BLOCK, SIGWINCH);
	change(SIG_BLOCK, SIGTERM);
	note("changed to", same("after a change in the handler sent in"));
}

static void edit(ucontext_t *uc)
{
	sigaddset(&uc->uc_sigmask, SIGWINCH);
	sigaddset(&uc->uc_sigmask, SIGTERM);
}

static void clear(ucontext_t *uc)
{
	sigemptyset(&uc->uc_sigmask);
}

static void open_all(ucontext_t *uc)
{
	(void)uc;
	set_mask(0);
	note("opened", usr2_runs);
}

static void install(ucontext_t *uc)
{
	(void)uc;
	signal(SIGHUP, SIG_IGN);
}

static uint64_t number_of(void (*handler)(int, siginfo_t *, void *))
{
	return handler == on_usr1 ? 1 : handler == on_usr1_too ? 2 : 0;
}

// As programs do whose handlers have to be installed again each time.
static void reinstall(ucontext_t *uc)
{
	struct sigaction act;

	(void)uc;
	sigaction(SIGUSR1, NULL, &act);
	note("installed is", number_of(act.sa_sigaction));
	handle_info(SIGUSR1, on_usr1_too, SA_RESTART);
}

static void section(ucontext_t *uc)
{
	(void)uc;
	enter_section();
}

static void jump(ucontext_t *uc)
{
	(void)uc;
	if (!can_escape)
		return;
	can_escape = 0;
	siglongjmp(escape, 1);
}

static const struct {
	const char *name;
	void (*does)(ucontext_t *uc);
} choices[] = {
	{"look", look},       {"change", change_the_mask}, {"edit", edit},
	{"clear", clear},     {"open", open_all},          {"install", install},
	{"jump", jump},       {"reinstall", reinstall},    {"section", section},
};

bool handler_choose(const char *name)
{
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		if (strcmp(choices[i].name, name) != 0)
			continue;
		handler_does = choices[i].does;
		return true;
	}
	return false;
}

// Where the user's queue of signals is full, the kernel leaves out all but the signal.
static void check_info(int sig, const siginfo_t *info)
{
	if (info->si_code == SI_USER && info->si_pid == 0)
		return;
	if (sig != SIGUSR1 || info->si_signo != sig || info->si_code != SI_QUEUE ||
	    info->si_value.sival_int != 4711)
		fail("siginfo", (uint64_t)info->si_code, (uint64_t)info->si_value.sival_int);
}

void on_usr1(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t mask = same("entering the handler sent in");

	usr1_runs++;
	check_info(sig, info);
	note("usr1 over", word(&uc->uc_sigmask));
	note("with", mask);
	if (!HAS(mask, SIGUSR1))
		fail("own signal in the handler", mask, kernel_mask());
	handler_does(uc);
	same("leaving the handler sent in");
}

void on_usr1_too(int sig, siginfo_t *info, void *context)
{
	note("the other one", 0);
	on_usr1(sig, info, context);
}

// The handler sent in may have cleared the mask that was to hold here: the notes show it.
void on_usr2(int sig)
{
	usr2_runs++;
	note(sig == SIGUSR2 ? "usr2 with" : "hup with", same("entering the operation's handler"));
	change(SIG_BLOCK, SIGTERM);
	note("then", same("leaving the operation's handler"));
}

void on_usr2_edit(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)sig;
	usr2_runs++;
	note("editing", same("entering the editing handler"));
	sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGURG);
	sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGINT);
}

static void install_action(int sig, struct sigaction act)
{
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGALRM);
	sigaction(sig, &act, NULL);
}

void handle(int sig, void (*handler)(int), int flags)
{
	install_action(sig, (struct sigaction){.sa_handler = handler, .sa_flags = flags});
}

void handle_info(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	install_action(sig, (struct sigaction){.sa_sigaction = handler,
	                                       .sa_flags = SA_SIGINFO | flags});
}
