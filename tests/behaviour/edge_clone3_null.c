// SPDX-License-Identifier: MIT
// clone3 by number with arguments that cannot be read fails as the kernel says: whoever looks
// at them on the way must not fault.
#include "t.h"

static void refused(void *arguments, size_t size, int error)
{
	errno = 0;
	EQ(syscall(SYS_clone3, arguments, size), -1);
	if (errno == ENOSYS)
		exit(T_SKIP);
	EQ(errno, error);
}

int main(void)
{
	t_start();
	refused(NULL, 0, EINVAL);
	refused(NULL, 64, EFAULT);
	refused((void *)8, 64, EFAULT);
	refused((void *)-4096, 88, EFAULT);
	MASK(0);
	return 0;
}
