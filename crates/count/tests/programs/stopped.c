// SPDX-License-Identifier: MIT
// A child stops itself; its parent sees the stop, continues it, sees that, and collects status 7.
// By SIGSTOP: SIGTSTP does nothing in an orphaned process group, such as a test run's may be.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int woken[2], go[2];
	char byte = 0;
	if (pipe(woken) != 0 || pipe(go) != 0)
		return 6;
	pid_t child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		if (write(woken[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(8);
		_exit(7);
	}
	int status;
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
		return 1;
	if (WSTOPSIG(status) != SIGSTOP)
		return 2;
	struct pollfd alive = {.fd = woken[0], .events = POLLIN};
	if (poll(&alive, 1, 50) != 0)
		return 3; // it must not have gone on by itself
	kill(child, SIGCONT);
	// The child waits for this: had it ended already, its end would be reported instead.
	if (waitpid(child, &status, WCONTINUED) != child || !WIFCONTINUED(status))
		return 4;
	if (write(go[1], &byte, 1) != 1)
		return 8;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 5;
	return WEXITSTATUS(status);
}
