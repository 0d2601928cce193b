// SPDX-License-Identifier: MIT
// The process under test, seen by its tracer: a server that forks a new child whenever it is
// asked to, so that a run does not cost an exec. Everything dies with a message where the
// machine does not do what it should.
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#define NO_END (-1) // a result: not a status of wait

_Noreturn void die(const char *what);

// Starts the server. Its standard output and error go to the two descriptors.
void server_start(char *const *command, int output, int errors);
pid_t server_pid(void);

// A new child, stopped at its first breakpoint. False if it ended before that.
bool child_start(pid_t *pid, int *result);

// One instruction, or the handler of a signal that came. False at the end of the child.
bool child_step(pid_t pid, int *sig, int *result);

// Goes on to the `occurrence`th time, counted from 0, that it is about to execute `where`.
bool child_go_to(pid_t pid, unsigned long where, long occurrence, int *result);

unsigned long child_is_at(pid_t pid);
bool child_is_at_breakpoint(pid_t pid);
bool child_calls_next(pid_t pid); // is the next instruction a system call?

// Lets it run to its end; breakpoints are stepped over.
int child_finish(pid_t pid, int sig);
void child_end(pid_t pid);
