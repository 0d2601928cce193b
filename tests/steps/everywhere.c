// SPDX-License-Identifier: MIT
// A signal between any two instructions: forks the target again and again, and sends SIGUSR1 at
// the first, second, third … instruction between its two breakpoints, in the program, the
// runtime, libc and the handlers alike.
//
//	steps_everywhere LIBRARY|- MODE EVERY TARGET OPERATION HANDLER
//
// Of libc's instructions only each EVERYth is tried. Prints what the runs ended with, each
// once, and on standard error a line for each that did not end well; exit status 0 if all did.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outcomes.h"
#include "places.h"
#include "tracee.h"

static FILE *output, *errors; // of the target

static FILE *temporary(void)
{
	FILE *file = tmpfile();

	if (!file)
		die("temporary file");
	return file;
}

// Reads what the target wrote, and forgets it.
static const char *said_in(FILE *file)
{
	static char text[8192];
	ssize_t n = pread(fileno(file), text, sizeof text - 1, 0);

	if (n < 0 || ftruncate(fileno(file), 0) < 0 || lseek(fileno(file), 0, SEEK_SET) < 0)
		die("temporary file");
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

static void environment(const char *library, const char *mode)
{
	if (strcmp(library, "-") == 0)
		return;
	setenv("LD_PRELOAD", library, 1);
	setenv("SIGZERO_MODE", mode, 1);
	setenv("SIGZERO_HOT", "0", 1);
	if (strcmp(mode, "lazy") == 0 || strcmp(mode, "check") == 0)
		setenv("STEPS_LAZY", "1", 1);
	unsetenv("SIGZERO_QUIET"); // it has nothing to say
}

static const char *end_of(int result)
{
	static char text[64];

	if (result == NO_END)
		return "had no end";
	snprintf(text, sizeof text, "ended with %s %d",
	         WIFSIGNALED(result) ? "signal" : "status",
	         WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result));
	return text;
}

// With a value, so that the target can tell that it came through whole.
static void send_to(pid_t pid)
{
	union sigval value = {.sival_int = 4711};

	if (sigqueue(pid, SIGUSR1, value) < 0)
		die("sigqueue");
}

// False if the run did not end well.
static bool one_run(const struct place *place)
{
	const char *where = place_name(place->where), *error;
	int result;
	pid_t pid;

	if (child_start(&pid, &result) &&
	    child_go_to(pid, place->where, place->occurrence, &result)) {
		send_to(pid);
		result = child_finish(pid, 0);
		outcome_add(said_in(output), where);
	} else {
		fprintf(stderr, "never came to ");
		said_in(output);
		result = result ? result : NO_END;
	}
	error = said_in(errors);
	if (result == 0 && !*error)
		return true;
	fprintf(stderr, "%s, %ld: %s %s\n", where, place->occurrence, end_of(result), error);
	return false;
}

int main(int argc, char **argv)
{
	struct place *places;
	const char *error;
	long count, every, failures = 0, runs = 0, passed_over = 0;

	if (argc != 7) {
		fprintf(stderr, "usage: steps_everywhere LIBRARY|- MODE EVERY TARGET OPERATION HANDLER\n");
		return 2;
	}
	environment(argv[1], argv[2]);
	every = atol(argv[3]);
	output = temporary();
	errors = temporary();
	server_start(argv + 4, fileno(output), fileno(errors));
	count = places_find(&places);
	said_in(output);
	error = said_in(errors);
	if (*error) {
		fprintf(stderr, "without a signal: %s\n", error);
		return 1;
	}
	for (long i = 0; i < count && failures < 5; i++) {
		if (!places[i].ours && passed_over++ % every)
			continue;
		runs++;
		failures += !one_run(&places[i]);
	}
	outcomes_print();
	fprintf(stderr, failures ? "and so on, perhaps\n" : "");
	return count < 10 || failures;
}
