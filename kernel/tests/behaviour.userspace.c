// SPDX-License-Identifier: GPL-2.0
// Runs tests/run.py of the user-space side in the guest, plain and in every mode of the runtime, and
// hands its results on: once with the kernel's sigfastblock(2), once as where there is none.
// ROOT and BUILD are where things lie, in the guest as on the host.
// ONLY: words, joined by commas, that names have to contain; VARIANT: only these, likewise; WAY: with
// or without, only this one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int cases;

// Each word of LIST, behind PREFIX.
static void spaced(char *to, size_t size, const char *prefix, const char *list)
{
	char copy[1024];
	size_t used = 0;

	*to = 0;
	snprintf(copy, sizeof copy, "%s", list ? list : "");
	for (char *word = strtok(copy, ","); word && used < size; word = strtok(NULL, ","))
		used += snprintf(to + used, size - used, "%s%s ", prefix, word);
}

static int run(const char *root, const char *build, const char *way, const char *option)
{
	char command[4096], words[1024], variants[1024], line[4096];
	int status;
	FILE *results;

	if (getenv("WAY") && strcmp(getenv("WAY"), way))
		return 0;
	spaced(words, sizeof words, "", getenv("ONLY"));
	spaced(variants, sizeof variants, "--variant ", getenv("VARIANT"));
	snprintf(command, sizeof command, "cd %s && exec python3 tests/run.py --behaviour-only --timeout 120 --build %s %s %s %s 2>&1",
		 root, build, option, variants, words);
	results = popen(command, "r");
	if (!results)
		return 1;
	while (fgets(line, sizeof line, results)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "ok   ", 5))
			printf("ok %d %s: %s\n", ++cases, way, line + 5);
		else if (!strncmp(line, "FAIL ", 5))
			printf("not ok %d %s: %s\n", ++cases, way, line + 5);
		else if (!strncmp(line, "skip ", 5))
			printf("ok %d %s: %s # SKIP\n", ++cases, way, line + 5);
		else
			printf("%s\n", line);
		fflush(stdout);
	}
	status = pclose(results);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(void)
{
	const char *root = getenv("ROOT"), *build = getenv("BUILD");

	if (!root || !build)
		return 77;
	setenv("HOME", "/tmp", 1);
	// Tests compare wait statuses, and a core file shows in them.
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	return run(root, build, "with", "") | run(root, build, "without", "--no-sigfastblock");
}
