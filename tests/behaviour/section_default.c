// SPDX-License-Identifier: MIT
// Signals at their default action: what would end or stop the process waits for the end of the
// section, KILL and STOP do not wait, what is ignored is gone.
#include <sigzero.h>

#include "t.h"

static void warm_up(void)
{
	for (int i = 0; i < 50; i++) {
		sigzero_block();
		sigzero_unblock();
	}
}

static int the_signal;
static int report[2];

static void say(const char *text)
{
	if (write(report[1], text, strlen(text)) < 0)
		_exit(9);
}

static void held_to_the_end(void)
{
	warm_up();
	sigzero_block();
	kill(getpid(), the_signal);
	raise(the_signal);
	say("in");
	EQ(sigzero_pending(), 1);
	sigzero_unblock();
	say("out");
}

static void expect_report(const char *expected)
{
	char text[16] = {0};
	ssize_t n = read(report[0], text, sizeof text - 1);

	CHECK(n >= 0 && strcmp(text, expected) == 0);
}

static void ends(int sig)
{
	EQ(pipe(report), 0);
	the_signal = sig;
	int status = t_child(held_to_the_end);
	CHECK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), sig);
	expect_report("in");
	close(report[0]);
	close(report[1]);
}

static void stops(int sig)
{
	int status;

	EQ(pipe(report), 0);
	the_signal = sig;
	pid_t child = fork();
	if (child == 0) {
		setpgid(0, 0);
		held_to_the_end();
		_exit(0);
	}
	setpgid(child, child); // orphaned groups do not stop: ours is not
	EQ(waitpid(child, &status, WUNTRACED), child);
	CHECK(WIFSTOPPED(status));
	EQ(WSTOPSIG(status), sig);
	expect_report("in");
	kill(child, SIGCONT);
	EQ(waitpid(child, &status, WUNTRACED), child);
	while (WIFSTOPPED(status)) { // sent twice: a second stop may follow the first
		kill(child, SIGCONT);
		EQ(waitpid(child, &status, WUNTRACED), child);
	}
	EQ(status, 0);
	expect_report("out");
	close(report[0]);
	close(report[1]);
}

static void killed(void)
{
	warm_up();
	sigzero_block();
	raise(SIGKILL);
}

static void stopped(void)
{
	warm_up();
	sigzero_block();
	raise(SIGSTOP);
	sigzero_unblock();
}

static void ignored(void)
{
	static const int signals[] = {SIGCHLD, SIGURG, SIGWINCH};

	signal(SIGHUP, SIG_IGN);
	warm_up();
	sigzero_block();
	for (int i = 0; i < 3; i++)
		raise(signals[i]);
	raise(SIGHUP);
	sigzero_unblock();
	MASK(0);
	EQ(t_pending(), 0);
}

int main(void)
{
	static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,   SIGPIPE,
	                            SIGALRM, SIGTERM, SIGXCPU, SIGPROF, SIGVTALRM, SIGIO,
	                            SIGPWR,  SIGSYS,  SIGTRAP, SIGSTKFLT};
	int status;

	t_start();
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		ends(fatal[i]);
	ends(SIGRTMIN);
	ends(SIGRTMAX);
	stops(SIGTSTP);
	stops(SIGTTIN);
	EQ(WTERMSIG(t_child(killed)), SIGKILL);
	pid_t child = fork();
	if (child == 0) {
		stopped();
		_exit(0);
	}
	EQ(waitpid(child, &status, WUNTRACED), child);
	CHECK(WIFSTOPPED(status));
	kill(child, SIGCONT);
	EQ(t_wait(child), 0);
	EQ(t_child(ignored), 0);
	return 0;
}
