// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

// Stands guard for every signal whose default action would end or stop the process. False if our
// handlers cannot be relied on. Async-signal-safe.
__attribute__((visibility("hidden"))) bool sz_guard_all(void);
