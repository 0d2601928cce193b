// SPDX-License-Identifier: MIT
// What exec handed on, and what makes the arrival of a signal in a lazy block tell. All
// async-signal-safe; they ask the kernel by a few calls, which change nothing.
#pragma once
#include <stdbool.h>

#pragma GCC visibility push(hidden)

// Are there seccomp filters of which it is not known that they let us send a signal again? Asks
// once in a process and its children.
bool sz_inherited_filters(void);

// So many filters were tried before exec (SIGZERO_FILTERS).
extern unsigned long sz_filters_tried;

// Is one of the first descriptors a socket that makes calls end where a signal came (socket(7):
// SO_RCVTIMEO, SO_SNDTIMEO, SO_RCVLOWAT, SO_LINGER)?
bool sz_inherited_sockets(void);

#pragma GCC visibility pop
