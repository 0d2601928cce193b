// SPDX-License-Identifier: MIT
// Another thread looks at SIGINT during system() and after it: ignored, then as it was. The
// usual "catch it unless it is ignored" afterwards catches it.
#include "t.h"

static int began[2], may_end[2];
static volatile int runs;

static void handler(int sig)
{
	(void)sig;
	runs++;
}

static void *disposition(int sig)
{
	struct sigaction act;
	EQ(sigaction(sig, NULL, &act), 0);
	return (void *)act.sa_handler;
}

static void *body(void *arg)
{
	char line[64];
	snprintf(line, sizeof line, "echo >&%d; read x <&%d", began[1], may_end[0]);
	EQ(system(line), 0);
	return arg;
}

static void look_during(void *before)
{
	pthread_t thread;
	char c;
	EQ(pthread_create(&thread, NULL, body, NULL), 0);
	EQ(read(began[0], &c, 1), 1);
	CHECK(disposition(SIGINT) == (void *)SIG_IGN);
	EQ(write(may_end[1], "\n", 1), 1);
	EQ(pthread_join(thread, NULL), 0);
	CHECK(disposition(SIGINT) == before);
}

int main(void)
{
	t_start();
	EQ(pipe(began), 0);
	EQ(pipe(may_end), 0);
	for (int i = 1; i <= 3; i++) {
		t_handle(SIGINT, SIG_DFL, 0, 0);
		look_during((void *)SIG_DFL);
		if (disposition(SIGINT) != (void *)SIG_IGN)
			t_handle(SIGINT, handler, 0, 0);
		raise(SIGINT);
		EQ(runs, 2 * i - 1);
		look_during((void *)handler);
		raise(SIGINT);
		EQ(runs, 2 * i);
	}
	return 0;
}
