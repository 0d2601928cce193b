// SPDX-License-Identifier: MIT
// Mode watch: what mode lazy would have made of the calls that are let through. It keeps the
// books of lazy.c and guard.c once more, on the side: nothing of the process depends on them.
// What only an arriving signal would have cost is not in it. Async-signal-safe.
#pragma once
#include <stdbool.h>

#include "kernel.h"

// The thread's mask went from `before` to `after`; `first` if nothing was known of it until
// now. True if mode lazy would not have called the kernel.
bool sz_forecast_mask(sz_set before, sz_set after, bool first);

// A critical section blocked everything, or gave the mask back. True if it would not have called
// the kernel.
bool sz_forecast_section(bool enters);

// The disposition of `sig` was asked for (`act` NULL) or set. `remembered`: mode shadow would not
// have called the kernel.
bool sz_forecast_action(int sig, const struct sz_kernel_action *act, bool remembered);

// A call follows before which nothing may be blocked lazily.
void sz_forecast_flush(void);

// These may not be blocked lazily any more.
void sz_forecast_never(sz_set signals);
