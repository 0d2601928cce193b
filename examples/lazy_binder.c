// SPDX-License-Identifier: MIT
// A run-time linker in small: 10,000 symbols that are looked up at their first use, each in a
// section, since a signal handler may be the first user of one too. FreeBSD's linker did that with
// two sigprocmask each, which were half of all system calls of a small program.
//
// Build:  cc -O2 -g -o lazy_binder examples/lazy_binder.c $(pkg-config --cflags --libs sigzero)
// Then:   strace -c ./lazy_binder mask        two sigprocmask a symbol
//         strace -c ./lazy_binder section     sigzero_block and sigzero_unblock
#include <sigzero.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define SYMBOLS 10000
#define BUCKETS 4096

struct symbol {
	char name[16];
	long (*function)(long);
	struct symbol *next;
};

static struct symbol exported[SYMBOLS];
static struct symbol *buckets[BUCKETS];

static long (*volatile slots[SYMBOLS])(long); // NULL: not bound yet
static volatile int bound[SYMBOLS];
static volatile int binding; // a handler that finds this set came in the middle
static volatile long torn, signals;

static int with_section;
static sigset_t everything, before;

static long work(long x)
{
	return x + 1;
}

static unsigned hash(const char *name)
{
	unsigned h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h % BUCKETS;
}

static void name_of(int number, char *name)
{
	snprintf(name, 16, "symbol%d", number);
}

static void export_all(void)
{
	for (int i = 0; i < SYMBOLS; i++) {
		struct symbol *s = &exported[i], **bucket;

		name_of(i, s->name);
		s->function = work;
		bucket = &buckets[hash(s->name)];
		s->next = *bucket;
		*bucket = s;
	}
}

static void enter(void)
{
	if (with_section)
		sigzero_block();
	else
		sigprocmask(SIG_BLOCK, &everything, &before);
}

static void leave(void)
{
	if (with_section)
		sigzero_unblock();
	else
		sigprocmask(SIG_SETMASK, &before, NULL);
}

static void bind(int number)
{
	char name[16];
	struct symbol *s;

	name_of(number, name);
	enter();
	torn += binding;
	binding = 1;
	if (!slots[number]) {
		for (s = buckets[hash(name)]; strcmp(s->name, name) != 0; s = s->next)
			;
		slots[number] = s->function;
		bound[number]++;
	}
	binding = 0;
	leave();
}

static long call(int number, long argument)
{
	if (!slots[number])
		bind(number);
	return slots[number](argument);
}

static void on_alarm(int sig)
{
	static unsigned next = 12345;

	(void)sig;
	signals++;
	for (int i = 0; i < 3; i++) {
		next = next * 1103515245u + 12345u;
		call(next / 65536 % SYMBOLS, 0);
	}
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 500}, {0, 500}};
	int null = open("/dev/null", O_WRONLY), once = 1;
	long sum = 0;

	if (argc != 2 || (strcmp(argv[1], "mask") && strcmp(argv[1], "section"))) {
		fprintf(stderr, "usage: %s mask|section\n", argv[0]);
		return 2;
	}
	with_section = strcmp(argv[1], "section") == 0;
	sigfillset(&everything);
	export_all();
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < SYMBOLS; i++) {
		sum = call(i, sum);
		if (i % 2 && write(null, "x", 1) != 1) // what the program is there for
			return 1;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	for (int i = 0; i < SYMBOLS; i++)
		once &= bound[i] == 1;
	printf("%d symbols, each bound once: %s; found half bound: %ld\n", SYMBOLS,
	       once ? "yes" : "NO", torn);
	fprintf(stderr, "%ld signals\n", signals);
	return sum != SYMBOLS || !once || torn;
}
