// SPDX-License-Identifier: MIT
// A child stops itself; its parent sees the stop, continues it, sees that, and collects status 7.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t child = fork();
	if (child == 0) {
		raise(SIGTSTP);
		_exit(7);
	}
	int status;
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
		return 1;
	if (WSTOPSIG(status) != SIGTSTP)
		return 2;
	usleep(50000);
	if (waitpid(child, &status, WNOHANG) != 0)
		return 3; // it must not have gone on by itself
	kill(child, SIGCONT);
	if (waitpid(child, &status, WCONTINUED) != child || !WIFCONTINUED(status))
		return 4;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 5;
	return WEXITSTATUS(status);
}
