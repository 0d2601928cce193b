// SPDX-License-Identifier: MIT
// Everything is hidden but the functions of libc that we stand in for.
#pragma once

#define SZ_INTERPOSE __attribute__((visibility("default")))
#define SZ_ALIAS(target) __attribute__((visibility("default"), alias(#target)))
#define SZ_CALLER __builtin_return_address(0)
