// SPDX-License-Identifier: MIT
// setjmp and longjmp with the mask remembered.
#pragma once

// Decides whether we can read and write libc's jump buffers; if not, all jumps go to libc.
void sz_jump_start(void);
