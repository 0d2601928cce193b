// SPDX-License-Identifier: MIT
// What the parts of the target share. The program notes everything that it can see: the notes
// of each run must be ones that plain libc can give too (run.py).
#pragma once
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define BIT(sig) ((uint64_t)1 << ((sig) - 1))
#define HAS(mask, sig) (((mask) & BIT(sig)) != 0)

// May be called from any handler.
void note(const char *what, uint64_t value);
void notes_say(void); // one line on standard output

_Noreturn void fail(const char *where, uint64_t seen, uint64_t kernel);

// The mask that the program sees. Fails if the kernel's is not what the mode allows.
uint64_t same(const char *where);
uint64_t kernel_mask(void);

uint64_t word(const sigset_t *set);
void change(int how, int sig);
uint64_t block(uint64_t set); // returns the mask before
void unblock(uint64_t set);
void set_mask(uint64_t set);
void note_pending(void);

// The handlers of the two signals; the second is the operation's own.
void handle(int sig, void (*handler)(int), int flags);
void handle_info(int sig, void (*handler)(int, siginfo_t *, void *), int flags);
void on_usr1(int sig, siginfo_t *info, void *context);
void on_usr1_too(int sig, siginfo_t *info, void *context); // shows which one ran
void on_usr2(int sig);
void on_usr2_edit(int sig, siginfo_t *info, void *context);

// Of sections.c, where that is linked.
void enter_section(void) __attribute__((weak));
void sections_end(void) __attribute__((weak));

extern void (*handler_does)(ucontext_t *uc);
bool handler_choose(const char *name);
extern sigjmp_buf escape;
extern volatile sig_atomic_t can_escape, usr1_runs, usr2_runs;

struct operation {
	const char *name;
	void (*prepare)(void); // or NULL
	void (*operate)(void);
};
const struct operation *operation_named(const char *name);
