// SPDX-License-Identifier: MIT
// getcontext, setcontext, swapcontext, makecontext with the mask remembered.
#pragma once

// Contexts are ours unless a shadow stack has to be kept: then all go to libc.
void sz_context_start_up(void);
