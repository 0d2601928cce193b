// SPDX-License-Identifier: MIT
// What the program does with each signal. sigaction(2) on the kernel's layout: the program's
// handler goes in and comes out, the kernel holds our entry. Async-signal-safe; returns 0
// or -errno.
#pragma once
#include <stdbool.h>

#include "functions.h"
#include "kernel.h"

int sz_disposition(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                   void *caller, enum sz_function fn);

// libc changes this one by itself from here on, or no longer does. Nests.
void sz_disposition_uncertain(int sig, bool begins);

// Puts libc's restorer flag and our restorer into an action, as libc does with its own.
void sz_disposition_complete(struct sz_kernel_action *act);

// What the program has installed, if that is known without a call. `act` may be NULL.
bool sz_disposition_remembered(int sig, struct sz_kernel_action *act);

bool sz_disposition_same(const struct sz_kernel_action *a, const struct sz_kernel_action *b);

// The program's handler <-> our entry for it. -ENOMEM where there are no more entries.
int sz_disposition_wrap(struct sz_kernel_action *act);
void sz_disposition_unwrap(struct sz_kernel_action *act);

// Flags that the kernel reports as they were given, in every version.
#define SZ_STABLE_FLAGS                                                                     \
	(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER |  \
	 SZ_SA_RESTORER)
