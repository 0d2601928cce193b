// SPDX-License-Identifier: MIT
// One call, under some 40 KiB of frames.
#include <signal.h>
#include <string.h>

__attribute__((noinline)) static int descend(int depth)
{
	volatile char room[1000];

	memset((char *)room, depth, sizeof room);
	if (depth == 0)
		return sigprocmask(SIG_BLOCK, NULL, NULL) + room[1];
	return descend(depth - 1) + room[1] - (char)depth;
}

int main(void)
{
	return descend(40) != 0;
}
