// SPDX-License-Identifier: MIT
// FreeBSD's protocol on the user's side, as its libraries have it.
#pragma once
#include <fcntl.h>
#include <sigzero.h>

#include "t.h"

static __thread volatile uint32_t word;

T_UNUSED static void enter(volatile uint32_t *w)
{
	__atomic_fetch_add(w, SIGFASTBLOCK_INC, __ATOMIC_ACQUIRE);
}

// True if UNBLOCK must be called.
T_UNUSED static int left_pending(volatile uint32_t *w)
{
	return __atomic_fetch_sub(w, SIGFASTBLOCK_INC, __ATOMIC_RELEASE) ==
	       (SIGFASTBLOCK_PEND | SIGFASTBLOCK_INC);
}

T_UNUSED static void leave(volatile uint32_t *w)
{
	if (left_pending(w))
		EQ(sigfastblock(SIGFASTBLOCK_UNBLOCK, NULL), 0);
}

// The environment as it was when the program started: the runtime takes its own out.
T_UNUSED static int t_started_with(const char *entry)
{
	char text[65536];
	int fd = open("/proc/self/environ", O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	for (char *p = text; p < text + n; p += strlen(p) + 1)
		if (strcmp(p, entry) == 0)
			return 1;
	return 0;
}

T_UNUSED static int t_is_off(void)
{
	return t_started_with("SIGZERO_MODE=off");
}

T_UNUSED static int t_may_refuse(void)
{
	return t_is_off() || t_started_with("SIGZERO_MODE=watch") ||
	       t_started_with("SIGZERO_MODE=shadow");
}

// Does the kernel itself do it? It may be switched off, and is where sigfastblock(2) is not there.
T_UNUSED static int t_by_kernel(void)
{
	return t_syscall(573, 0, 0, 0, 0) == -EINVAL && !t_started_with("SIGZERO_SIGFASTBLOCK=off");
}

T_UNUSED static void t_register(volatile uint32_t *w)
{
	errno = 0;
	if (sigfastblock(SIGFASTBLOCK_SETPTR, (void *)w) == 0)
		return;
	if (errno == ENOSYS && t_may_refuse())
		exit(0); // as it should be there
	t_fail(__FILE__, __LINE__, strerror(errno));
}
