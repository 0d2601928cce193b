// SPDX-License-Identifier: MIT
// The random tester: what its parts share.
//
// A run is a list of steps. What step i does follows from (seed, i) alone, so that any
// subset of the steps can be run by itself. Everything that the program can see is
// printed; on plain libc the output depends on nothing but the seed and the list.
//
// What keeps it so: only one thread runs at a time, and a thread that waits has all
// signals blocked by a raw call; no signal is sent that would end the process; a signal
// from a timer, a child or the helper arrives where nothing is printed until it came.
#pragma once
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

#include "../behaviour/t.h"

struct random {
	uint64_t state;
};

uint64_t fz_mix(uint64_t a, uint64_t b);
uint64_t fz_next(struct random *random);
int fz_below(struct random *random, int limit);
uint64_t fz_mask(struct random *random);
int fz_signal(struct random *random);

extern uint64_t fz_seed;
extern int fz_budget;     // nested operations left in this step
extern int fz_restricted; // in a child of vfork: no new stacks, threads, processes
extern int fz_child;      // in a child of fork

#define FZ_SIGNALS 12
extern const int fz_signals[FZ_SIGNALS];
int fz_fatal(int sig);    // its default action ends the process
int fz_keeper(int sig);   // never set to default, so that another thread may send it

// Where a jump can land. Scopes belong to a stack, as frames do.
enum { FZ_SIGSETJMP_1, FZ_SIGSETJMP_0, FZ_UNDERSCORE, FZ_BSD, FZ_SCOPE_KINDS };
struct scope {
	sigjmp_buf env;
	int kind, depth;
};

#define FZ_SCOPES 8
struct stack {
	const char *name;
	int depth;       // handlers running on it
	int top, floor;  // scopes in [floor, top) may be jumped to
	int in_transit;  // between two stacks: neither switch nor jump
	struct coroutine *coroutine;
	struct scope scopes[FZ_SCOPES];
};

// Out of line, so that no address of thread-local storage survives a move between threads.
struct stack *fz_stack(void);
void fz_set_stack(struct stack *stack);
void fz_set_transit(void);
int fz_errno(void);
void fz_clear_errno(void);
int fz_on_alternate_stack(void);
int fz_may_switch(void);

void fz_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fz_result(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fz_dispositions(void);
#define FZ_MASK_TEXT 80
const char *fz_mask_text(char *text, int size);

void fz_run_list(uint64_t key, int count);
void fz_operation(uint64_t key);

typedef void (*fz_handler)(int);
fz_handler fz_pick_handler(struct random *random, int *flags);
const char *fz_disposition_name(void *handler);
int fz_invocations(int sig);
int fz_may_reset(int sig);
int fz_may_ignore(int sig);
int fz_may_send(int sig);

int fz_can_jump(void);
void fz_jump(struct random *random) __attribute__((noreturn));

void fz_start_helper(void);
void fz_helper_sends(int sig);
void fz_find_sections(void);
void fz_start_worker(void);
void fz_worker_is_gone(void);
uint64_t fz_pending_elsewhere(void); // for threads that wait,
uint64_t fz_blocked_elsewhere(void); // and by them

void fz_op_mask(struct random *random);
void fz_op_mask_old_names(struct random *random);
void fz_op_disposition(struct random *random);
void fz_op_send(struct random *random);
void fz_op_fatal(struct random *random);
void fz_op_hold(struct random *random);
void fz_op_flip(struct random *random);
void fz_op_section(struct random *random);
void fz_op_helper(struct random *random);
void fz_op_helper_read(struct random *random);
void fz_op_timer(struct random *random);
void fz_op_take(struct random *random);
void fz_op_wait(struct random *random);
void fz_op_scope(struct random *random);
void fz_op_jump(struct random *random);
void fz_op_switch(struct random *random);
void fz_op_yield(struct random *random);
void fz_op_link(struct random *random);
void fz_op_context(struct random *random);
void fz_op_worker(struct random *random);
void fz_op_thread(struct random *random);
void fz_op_fork(struct random *random);
void fz_op_vfork(struct random *random);
