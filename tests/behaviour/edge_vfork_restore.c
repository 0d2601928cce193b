// SPDX-License-Identifier: MIT
// The shells' pattern: block, vfork, restore in both, exec in the child.
#include "t.h"

int main(void)
{
	t_start();
	t_setmask(BIT(SIGHUP));
	for (int i = 0; i < 20; i++) {
		sigset_t all, old;
		sigfillset(&all);
		EQ(sigprocmask(SIG_BLOCK, &all, &old), 0);
		pid_t pid = vfork();
		CHECK(pid >= 0);
		if (pid == 0) {
			if (sigprocmask(SIG_SETMASK, &old, NULL) || t_view() != BIT(SIGHUP) ||
			    !t_fits(t_kernel_mask(), BIT(SIGHUP)))
				_exit(1);
			if (i & 1)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		// Still all blocked here, whatever the child did to its own mask.
		KERNEL_MASK(t_view());
		EQ(t_view() & BIT(SIGTERM), BIT(SIGTERM));
		EQ(sigprocmask(SIG_SETMASK, &old, NULL), 0);
		MASK(BIT(SIGHUP));
		EQ(t_wait(pid), 0);
	}
	return 0;
}
