// SPDX-License-Identifier: MIT
// Mode `check`: after each step the kernel is asked, and the first difference ends the
// process with a report. Async-signal-safe.
#pragma once
#include <stdbool.h>

#include "kernel.h"

// What we believe that the kernel blocks, against what it does block.
void sz_check_mask(void);

// A disposition that would be answered from memory against the kernel's.
void sz_check_disposition(const struct sz_kernel_action *remembered,
                          const struct sz_kernel_action *kernel);
