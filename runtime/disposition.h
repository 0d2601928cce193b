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
