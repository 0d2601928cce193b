// SPDX-License-Identifier: MIT
// Which operation a key stands for, and lists of operations.
#include "fuzz.h"

int fz_budget;

static const struct {
	void (*run)(struct random *);
	int weight;
} operations[] = {
	{fz_op_mask, 22},       {fz_op_mask_old_names, 7}, {fz_op_disposition, 16},
	{fz_op_send, 22},       {fz_op_fatal, 1},          {fz_op_hold, 14},
	{fz_op_flip, 8},        {fz_op_section, 8},        {fz_op_helper, 5},
	{fz_op_helper_read, 1}, {fz_op_timer, 2},          {fz_op_take, 4},
	{fz_op_wait, 5},        {fz_op_scope, 8},          {fz_op_jump, 3},
	{fz_op_switch, 7},      {fz_op_yield, 4},          {fz_op_link, 3},
	{fz_op_context, 4},     {fz_op_worker, 5},         {fz_op_thread, 2},
	{fz_op_fork, 2},        {fz_op_vfork, 3},
};
#define OPERATIONS (int)(sizeof operations / sizeof *operations)

static int pick(struct random *random)
{
	int total = 0, i = 0;
	for (int j = 0; j < OPERATIONS; j++)
		total += operations[j].weight;
	int point = fz_below(random, total);
	while (point >= operations[i].weight)
		point -= operations[i++].weight;
	return i;
}

void fz_operation(uint64_t key)
{
	struct random random = {key};
	operations[pick(&random)].run(&random);
}

void fz_run_list(uint64_t key, int count)
{
	for (int i = 0; i < count && fz_budget > 0; i++) {
		fz_budget--;
		fz_operation(fz_mix(key, (uint64_t)i));
	}
}
