// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracee.h"

struct mapping {
	unsigned long start, end, offset;
	char path[PATH_MAX];
	bool ours;
};

static struct mapping *mappings;
static long count_of_mappings;

static void *bigger(void *memory, long count, size_t size)
{
	if (count & (count - 1)) // room is always a power of two
		return memory;
	memory = realloc(memory, (count ? 2 * (size_t)count : 1) * size);
	if (!memory)
		die("memory");
	return memory;
}

static void read_mappings(void)
{
	char path[64], line[PATH_MAX + 128], program[PATH_MAX];
	FILE *maps;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/exe", server_pid());
	n = readlink(path, program, sizeof program - 1);
	if (n < 0)
		die(path);
	program[n] = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", server_pid());
	maps = fopen(path, "r");
	if (!maps)
		die(path);
	while (fgets(line, sizeof line, maps)) {
		struct mapping m = {0};

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %s", &m.start, &m.end, &m.offset,
		           m.path) < 3)
			continue;
		m.ours = strcmp(m.path, program) == 0 || strstr(m.path, "libsigzero");
		mappings = bigger(mappings, count_of_mappings, sizeof m);
		mappings[count_of_mappings++] = m;
	}
	fclose(maps);
}

static const struct mapping *mapping_of(unsigned long where)
{
	for (long i = 0; i < count_of_mappings; i++)
		if (where - mappings[i].start < mappings[i].end - mappings[i].start)
			return &mappings[i];
	return NULL;
}

const char *place_name(unsigned long where)
{
	static char name[PATH_MAX];
	const struct mapping *m = mapping_of(where);
	const char *slash = m ? strrchr(m->path, '/') : NULL;

	snprintf(name, sizeof name, "%s+%#lx", slash ? slash + 1 : "?",
	         m ? where - m->start + m->offset : where);
	return name;
}

static struct place *places;
static long count_of_places;

static long occurrences(unsigned long where)
{
	for (long i = count_of_places; i--;)
		if (places[i].where == where)
			return places[i].occurrence + 1;
	return 0;
}

static bool is_last(unsigned long where)
{
	return count_of_places && places[count_of_places - 1].where == where;
}

static void add(unsigned long where, const struct mapping *m, bool calls)
{
	struct place *place;

	places = bigger(places, count_of_places, sizeof *places);
	place = &places[count_of_places];
	place->where = where;
	place->occurrence = occurrences(where);
	place->ours = (m && m->ours) || calls;
	count_of_places++;
}

// `before` is whether the instruction before was a system call, and says of this one.
static void came_to(pid_t pid, unsigned long where, int sig, bool *before)
{
	const struct mapping *m = mapping_of(where);
	bool calls = child_calls_next(pid);

	// The handler of a signal that came runs before the instruction does.
	if (sig) {
		count_of_places -= is_last(where);
		return;
	}
	// How often the vdso looks at a clock differs from run to run. A repeated string
	// instruction takes many steps and is one place.
	if (is_last(where) || (m && strcmp(m->path, "[vdso]") == 0))
		return;
	add(where, m, calls || *before);
	*before = calls;
}

long places_find(struct place **found)
{
	bool calls = false;
	int sig = 0, result;
	pid_t pid;

	read_mappings();
	if (!child_start(&pid, &result)) {
		fprintf(stderr, "the target ended before its first breakpoint\n");
		exit(2);
	}
	while (child_step(pid, &sig, &result)) {
		if (child_is_at_breakpoint(pid)) {
			child_end(pid);
			*found = places;
			return count_of_places;
		}
		came_to(pid, child_is_at(pid), sig, &calls);
	}
	fprintf(stderr, "the target ended before its second breakpoint\n");
	exit(2);
}
