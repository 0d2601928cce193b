// SPDX-License-Identifier: MIT
// A logger that signal handlers may use: lines are put together in one buffer and written when it
// is full. No line is torn or lost, whoever interrupts whom.
//
// Build:  cc -O2 -g -o section_logger examples/section_logger.c $(pkg-config --cflags --libs sigzero)
// Then:   ./section_logger 100000 | sort | uniq -c
#include <sigzero.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char buffer[4096];
static size_t used;

static void write_out(void)
{
	size_t done = 0;

	while (done < used) {
		ssize_t n = write(STDOUT_FILENO, buffer + done, used - done);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	used = 0;
}

// Async-signal-safe.
static void log_line(const char *text)
{
	size_t length = strlen(text);

	sigzero_block();
	if (used + length + 1 > sizeof buffer)
		write_out();
	memcpy(buffer + used, text, length);
	buffer[used + length] = '\n';
	used += length + 1;
	sigzero_unblock();
}

static void log_flush(void)
{
	sigzero_block();
	write_out();
	sigzero_unblock();
}

static void on_alarm(int sig)
{
	(void)sig;
	log_line("a line from the handler");
}

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 100000;
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < turns; i++)
		log_line("a line from main");
	setitimer(ITIMER_REAL, &never, NULL);
	log_flush();
	return 0;
}
