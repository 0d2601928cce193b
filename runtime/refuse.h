// SPDX-License-Identifier: MIT
#pragma once

// Why this process must be left alone, or NULL. Not async-signal-safe.
const char *sz_refuse(void);
