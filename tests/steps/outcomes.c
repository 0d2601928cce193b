// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracee.h"

static struct outcome {
	char *line, *where;
	struct outcome *next;
} *outcomes;

void outcome_add(const char *line, const char *where)
{
	struct outcome **at = &outcomes, *new;

	for (; *at; at = &(*at)->next)
		if (strcmp((*at)->line, line) == 0)
			return;
	new = calloc(1, sizeof *new);
	if (!new || !(new->line = strdup(line)) || !(new->where = strdup(where)))
		die("memory");
	*at = new;
}

void outcomes_print(void)
{
	for (const struct outcome *o = outcomes; o; o = o->next)
		printf("%s\t%s\n", o->line, o->where);
}
