// SPDX-License-Identifier: MIT
// What the program does with each signal. sigaction(2) on the kernel's layout: the program's
// handler goes in and comes out, the kernel holds our entry. Async-signal-safe; returns 0
// or -errno.
#pragma once
#include "functions.h"
#include "kernel.h"

int sz_disposition(int sig, const struct sz_kernel_action *act, struct sz_kernel_action *old,
                   void *caller, enum sz_function fn);

// Puts libc's restorer flag and our restorer into an action, as libc does with its own.
void sz_disposition_complete(struct sz_kernel_action *act);
