// SPDX-License-Identifier: MIT
// The program's environment shows nothing of us, unless children are to be followed.
#include "t.h"

extern char **environ;

int main(void)
{
	if (getenv("SIGZERO_FOLLOW"))
		return T_SKIP;
	for (char **entry = environ; *entry; entry++) {
		CHECK(strncmp(*entry, "SIGZERO_", 8) != 0);
		CHECK(strncmp(*entry, "LD_PRELOAD=", 11) != 0);
	}
	CHECK(getenv("PATH") != NULL);
	return 0;
}
