// SPDX-License-Identifier: MIT
// Operations on signals between two breakpoints, for everywhere.c to send SIGUSR1 at every
// instruction in between. Whatever happens, in the handler and afterwards the mask that the
// program sees must be the one that the kernel holds, or contain it where the mode is lazy,
// and the notes ones that plain libc can give.
//
//	target OPERATION|cold-OPERATION HANDLER
//
// Exit status 1 with a line if something is wrong.
#define _GNU_SOURCE
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

#define BREAKPOINT() __asm__ volatile("int3" ::: "memory")

// Each child is one run; the runtime has done nothing yet but start.
static void serve(void)
{
	for (;;) {
		pid_t pid;

		BREAKPOINT();
		pid = fork();
		if (pid == 0)
			return;
		waitpid(pid, NULL, 0);
	}
}

static void prepare(const struct operation *operation, bool cold)
{
	handle_info(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, 0);
	if (cold)
		return;
	same("at the start");
	change(SIG_BLOCK, SIGINT);
	if (operation->prepare)
		operation->prepare();
}

static void look_back(void)
{
	struct sigaction act;

	note("end", same("at the end"));
	note_pending();
	sigaction(SIGHUP, NULL, &act);
	note("hup", act.sa_handler == SIG_DFL ? 0 : act.sa_handler == SIG_IGN ? 1 : 2);
	sigaction(SIGUSR1, NULL, &act);
	note("usr1", (act.sa_sigaction == on_usr1_too) | (act.sa_flags & SA_RESTART) >> 24);
	change(SIG_BLOCK, SIGPROF);
	note("and", same("after one more change"));
	set_mask(0);
	if (sections_end)
		sections_end();
	note("runs", (uint64_t)usr1_runs << 4 | (uint64_t)usr2_runs);
}

int main(int argc, char **argv)
{
	const struct operation *operation;
	bool cold;

	if (argc != 3 || !handler_choose(argv[2]))
		return 2;
	cold = strncmp(argv[1], "cold-", 5) == 0;
	operation = operation_named(argv[1] + (cold ? 5 : 0));
	if (!operation)
		return 2;
	serve();
	prepare(operation, cold);
	if (sigsetjmp(escape, 0) == 0) {
		can_escape = 1;
		BREAKPOINT();
		operation->operate();
		BREAKPOINT();
	}
	can_escape = 0;
	look_back();
	notes_say();
	return 0;
}
