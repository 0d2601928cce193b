// SPDX-License-Identifier: MIT
// sigfuzz --seed S --steps N [--only i,j,k | --skip i,j,k]
#include <getopt.h>

#include "fuzz.h"

#define MAX_STEPS 100000
static unsigned char leave_out[MAX_STEPS];
static int steps = 200;
static struct stack main_stack = {.name = "main"};

static void usage(void)
{
	fputs("usage: sigfuzz --seed S --steps N [--only i,j,k | --skip i,j,k]\n", stderr);
	exit(2);
}

static void mark(char *list, int value)
{
	for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
		int i = atoi(item);
		if (i < 0 || i >= MAX_STEPS)
			usage();
		leave_out[i] = (unsigned char)value;
	}
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
	                                        {"steps", required_argument, NULL, 'n'},
	                                        {"only", required_argument, NULL, 'o'},
	                                        {"skip", required_argument, NULL, 'k'},
	                                        {0, 0, NULL, 0}};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 's':
			fz_seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			steps = atoi(optarg);
			break;
		case 'o':
			memset(leave_out, 1, sizeof leave_out);
			mark(optarg, 0);
			break;
		case 'k':
			mark(optarg, 1);
			break;
		default:
			usage();
		}
	if (steps < 1 || steps > MAX_STEPS)
		usage();
}

static void run_steps(void)
{
	for (int i = 0; i < steps; i++) {
		if (leave_out[i])
			continue;
		fz_budget = 40;
		fz_line("step %d", i);
		fz_operation(fz_mix(fz_seed, (uint64_t)i));
		fz_dispositions();
	}
}

int main(int argc, char **argv)
{
	static char alternate[256 * 1024];
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	parse(argc, argv);
	t_start();
	fz_set_stack(&main_stack);
	sigaltstack(&stack, NULL);
	fz_find_sections();
	fz_start_helper();
	fz_start_worker();
	run_steps();
	fz_result("end");
	// Not exit(): a coroutine of another thread may be half-way through libc.
	_exit(0);
}
