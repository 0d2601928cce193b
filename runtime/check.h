// SPDX-License-Identifier: MIT
// Mode `check`: after each step the kernel is asked, and the first difference ends the
// process with a report. Async-signal-safe.
#pragma once
#include <stdbool.h>

#include "kernel.h"

// The step that `shadow` would answer from memory: true if it may, with the remembered mask,
// after the kernel has confirmed it.
bool sz_check_mask_step(int how, const sz_set *set, sz_set *mask);

// The remembered mask against the kernel's.
void sz_check_mask(void);

// A disposition that would be answered from memory against the kernel's.
void sz_check_disposition(const struct sz_kernel_action *remembered,
                          const struct sz_kernel_action *kernel);
