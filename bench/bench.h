// SPDX-License-Identifier: MIT
// Times cases in one process: many short batches, the cases taking turns, so that a
// change of the machine's speed in the middle meets all of them alike.
//
// Prints one line a case: name, median, 25th and 75th percentile, in ns an operation.
#pragma once

struct bench_case {
	const char *name;
	void (*run)(unsigned long operations);
	unsigned long per_run; // operations that run(1) makes; 0 stands for 1
};

void bench_run(const struct bench_case *cases, int count);
