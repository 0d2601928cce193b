// SPDX-License-Identifier: GPL-2.0
// The same with 100,000 processes, and 100,000 group exits: a leak of one in some thousands shows.
#define MANY 100000
#define MANY_GROUPS 100000
#include "sigqueue-exits.c"
