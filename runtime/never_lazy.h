// SPDX-License-Identifier: MIT
// What a program may do, by a function of libc or by number, that makes lazy blocks tell.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel.h"

#pragma GCC visibility push(hidden)

// setsockopt(2)
bool sz_option_makes_calls_end(int level, int option);

// The signals that input sends to a thread after this fcntl(2).
sz_set sz_sent_by_input(int command, intptr_t argument);

// kill(2)
void sz_sends_as_the_kernel(pid_t pid, int sig);

#pragma GCC visibility pop
