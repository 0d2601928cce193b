// SPDX-License-Identifier: GPL-2.0
// Runs tests/run.py of the user-space side in the guest, plain and in every mode of the runtime, and
// hands its results on. ROOT and BUILD are where things lie, in the guest as on the host.
// ONLY: words, joined by commas, that names have to contain; VARIANT: only this one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int main(void)
{
	const char *root = getenv("ROOT"), *build = getenv("BUILD"), *only = getenv("ONLY");
	const char *variant = getenv("VARIANT");
	char command[4096], words[1024], line[4096];
	int cases = 0, status;
	FILE *results;

	if (!root || !build)
		return 77;
	snprintf(words, sizeof words, "%s", only ? only : "");
	for (char *comma = words; *comma; comma++)
		if (*comma == ',')
			*comma = ' ';
	snprintf(command, sizeof command, "cd %s && exec python3 tests/run.py --behaviour-only --build %s %s%s %s 2>&1",
		 root, build, variant ? "--variant " : "", variant ? variant : "", words);
	setenv("HOME", "/tmp", 1);
	results = popen(command, "r");
	if (!results)
		return 1;
	while (fgets(line, sizeof line, results)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "ok   ", 5))
			printf("ok %d %s\n", ++cases, line + 5);
		else if (!strncmp(line, "FAIL ", 5))
			printf("not ok %d %s\n", ++cases, line + 5);
		else if (!strncmp(line, "skip ", 5))
			printf("ok %d %s # SKIP\n", ++cases, line + 5);
		else
			printf("%s\n", line);
		fflush(stdout);
	}
	status = pclose(results);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
