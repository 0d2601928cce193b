// SPDX-License-Identifier: MIT
// deny NUMBER ERROR all|changes COMMAND...: runs it with a system call that fails from the start.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: deny NUMBER ERROR all|changes COMMAND...\n", stderr);
		return 2;
	}
	make_fail((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]), !strcmp(argv[3], "changes"));
	execvp(argv[4], argv + 4);
	perror(argv[4]);
	return 127;
}
