// SPDX-License-Identifier: MIT
// The places at which a signal can come between the two breakpoints: the instructions that one
// undisturbed child executes there.
#pragma once
#include <stdbool.h>

struct place {
	unsigned long where;
	long occurrence; // the how many-th time it is executed, from 0
	bool ours;       // in the program or the runtime, not in libc away from system calls
};

// Returns their number. Steps through one child.
long places_find(struct place **places);

// "libc.so.6+0x1234"
const char *place_name(unsigned long where);
