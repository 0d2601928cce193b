// SPDX-License-Identifier: MIT
// Of two signals that wait and both end the process, the one that the kernel delivers first does.
#include "lazy.h"

static int first, second;

static uint64_t both(void)
{
	return BIT(first) | BIT(second);
}

static void opened_by_the_mask(void)
{
	t_setmask(both());
	kill(getpid(), second);
	kill(getpid(), first);
	t_setmask(0);
}

static void opened_by_sigsuspend(void)
{
	sigset_t none = t_set(0);
	t_setmask(both());
	raise(second);
	raise(first);
	sigsuspend(&none);
}

static void sent_while_stopped(void)
{
	pid_t us = getpid();
	t_setmask(both());
	t_setmask(0);
	if (fork() == 0) {
		for (int i = 0; i < 5000; i++) {
			char path[64], state = 0;
			snprintf(path, sizeof path, "/proc/%d/stat", us);
			FILE *f = fopen(path, "r");
			if (f && fscanf(f, "%*d %*s %c", &state) == 1 && state == 'T')
				break;
			if (f)
				fclose(f);
			usleep(1000);
		}
		kill(us, second);
		kill(us, first);
		kill(us, SIGCONT);
		_exit(0);
	}
	raise(SIGSTOP);
	t_pause_ms(5000);
}

int main(void)
{
	static const int pairs[][2] = {{SIGUSR2, SIGTERM}, {SIGHUP, SIGINT}, {SIGHUP, SIGTERM},
	                               {SIGALRM, SIGIO}, {SIGUSR1, SIGUSR2}};
	t_hot();
	for (int i = 0; i < 5; i++) {
		first = pairs[i][0];
		second = pairs[i][1];
		EQ(WTERMSIG(t_child(opened_by_the_mask)), first);
		EQ(WTERMSIG(t_child(opened_by_sigsuspend)), first);
		EQ(WTERMSIG(t_child(sent_while_stopped)), first);
	}
	return 0;
}
