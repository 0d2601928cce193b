// SPDX-License-Identifier: GPL-2.0
// Where the programs of `sigzero stat --source bpf` stand: the same calls are counted with the same
// callers by each way, and a neighbour that makes other calls pays only where all calls pass by.
// That takes eBPF, so a kernel with config/bpf, and target/release/sigzero. What the neighbour pays
// is counted in instructions: KERNEL_EXACT=1; by the clock it is only told.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "test.h"

enum { N = 100000, FOREIGN = 37, BATCH = 1000, BATCHES = 41 };

static const char *const ways[] = { "kprobe.multi", "tp_btf", "raw_tp" };
enum { WAYS = sizeof ways / sizeof *ways, CHEAP = 1 };

static const char *sigzero;
static bool may_have_priority = true;
static char self[4096], report[1 << 20];

static void __attribute__((noinline)) asks(int sig)
{
	sigset_t set;

	sigprocmask(SIG_SETMASK, NULL, &set);
	__asm__ volatile("" ::"r"(sig));
}

static void handled(int signal) { (void)signal; }

// Every kind of call that has a function, so that none is missing.
static void each_call(void)
{
	struct sigaction action = { .sa_handler = handled };
	struct timespec now = { 0 };
	sigset_t set;
	siginfo_t info = { .si_code = SI_QUEUE };
	stack_t stack;
	int self_fd;

	sigemptyset(&set);
	sigaction(SIGUSR1, &action, NULL);
	kill(getpid(), SIGUSR1);
	syscall(SYS_tkill, getpid(), SIGUSR1);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR1, &info);
	self_fd = syscall(SYS_pidfd_open, getpid(), 0);
	syscall(SYS_pidfd_send_signal, self_fd, SIGUSR1, NULL, 0);
	sigaltstack(NULL, &stack);
	sigpending(&set);
	sigtimedwait(&set, &info, &now);
	syscall(SYS_rt_sigsuspend, &set, 1L);
	syscall(SYS_signalfd, -1, &set, 1L);
	syscall(SYS_signalfd4, -1, &set, 1L, 0);
}

static const char *const calls[] = {
	"rt_sigaction", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	"pidfd_send_signal", "sigaltstack", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend",
	"signalfd", "signalfd4",
};

// rt_sigprocmask as 32-bit programs make it.
static void foreign_call(void)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(175), "b"(0), "c"(0), "d"(0), "S"(8)
			 : "memory", "r8", "r9", "r10", "r11");
}

static void __attribute__((noinline)) program(long n)
{
	each_call();
	asks(0);
	// Until the rules of these stacks are in the kernel.
	usleep(300000);
	for (long i = 1; i < n; i++)
		asks(i);
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

struct price {
	double median, least, most;
};

static struct price neighbour(long number)
{
	double took[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		double begin = cpu_time();

		for (int k = 0; k < BATCH; k++)
			syscall(number, -1L, NULL, NULL, 0L);
		took[i] = (cpu_time() - begin) / BATCH;
	}
	qsort(took, BATCHES, sizeof *took, compare);
	return (struct price){ took[BATCHES / 2], took[BATCHES / 10], took[BATCHES - 1 - BATCHES / 10] };
}

static void tell_price(const char *way)
{
	struct price price;

	asks(0);
	usleep(300000);
	price = neighbour(SYS_rt_sigprocmask);
	printf("%s: traced itself, with its stack: rt_sigprocmask %.1f (%.1f to %.1f)\n", way, price.median,
	       price.least, price.most);
}

static pid_t start(char *const *words, const char *way)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!may_have_priority)
		prctl(PR_CAPBSET_DROP, CAP_SYS_NICE);
	if (*way)
		setenv("SIGZERO_ATTACH", way, 1);
	execv(sigzero, words);
	_exit(126);
}

static int end(pid_t child)
{
	int status;
	int file;
	ssize_t length;

	waitpid(child, &status, 0);
	file = open("/tmp/report", O_RDONLY);
	length = read(file, report, sizeof report - 1);
	close(file);
	report[length > 0 ? length : 0] = 0;
	return status;
}

static int trace(const char *way, const char *what, const char *count)
{
	char *words[] = { "sigzero", "stat", "--source", "bpf", "--json", "-o", "/tmp/report", "--",
			  self, (char *)what, (char *)count, NULL };

	unlink("/tmp/report");
	return end(start(words, way));
}

// The number behind `"name":`, from `at` on.
static long number(const char *at, const char *name)
{
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"%s\":", name);
	at = at ? strstr(at, quoted) : NULL;
	return at ? atol(at + strlen(quoted)) : -1;
}

static const char *function(const char *name)
{
	const char *at = strstr(report, "\"functions\"");
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
	return at ? strstr(at, quoted) : NULL;
}

static bool attached(const char *way)
{
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"attached\": \"%s\"", way);
	return strstr(report, quoted);
}

static void counts(const char *way, const char *used)
{
	char count[16];
	int status, there = 0;
	const char *stacks, *whole;
	double before = test_now();

	snprintf(count, sizeof count, "%d", N);
	status = trace(way, "loop", count);
	printf("%s: %.3f s\n", used, test_now() - before);
	if (!check(!status && attached(used), "%s: %s", *way ? way : "by itself", used)) {
		printf("  status %#x, %.300s\n", status, report);
		return;
	}
	check(strstr(report, "\"exact\": true"), "%s: exact", used);
	check(number(function("rt_sigprocmask"), "query") == N, "%s: %ld of %d queries", used,
	      number(function("rt_sigprocmask"), "query"), N);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		long n = number(function(calls[i]), "calls");

		there += n >= 1;
		if (n < 1)
			printf("  %s is missing\n", calls[i]);
	}
	check(there == sizeof calls / sizeof *calls, "%s: all kinds of calls", used);
	check(number(function("rt_sigreturn"), "calls") == number(function("kill"), "calls") + 5,
	      "%s: %ld returns of handlers", used, number(function("rt_sigreturn"), "calls"));
	stacks = strstr(report, "\"stacks\"");
	whole = stacks ? strstr(stacks, "\"symbol\": \"asks\"") : NULL;
	check(whole && strstr(stacks, "\"symbol\": \"program\"") && strstr(stacks, "\"symbol\": \"main\"") &&
		      number(report, "estimated") <= N / 100,
	      "%s: callers to main; %ld calls of stacks that are not whole", used,
	      number(report, "estimated"));
}

// Three programs that call without end, on the processor of the tracer or another: each interrupts
// the others anywhere.
static void crowd(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof one, &one);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			for (int k = 0; k < 5 * N; k++)
				asks(k);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	check(write(file, text, strlen(text)) > 0, "%s to %s", text, path);
	close(file);
}

// How many functions the kernel has something at.
static int functions_traced(void)
{
	FILE *file = fopen("/sys/kernel/debug/tracing/enabled_functions", "r");
	char line[512];
	int lines = 0;

	while (file && fgets(line, sizeof line, file))
		lines += strstr(line, "_sys_") != NULL;
	if (file)
		fclose(file);
	return file ? lines : -1;
}

// Calls at which the kernel did not run the programs of the process.
static long missed(pid_t process)
{
	long missed = 0, programs = 0;
	char path[64], line[256];

	for (int fd = 3; fd < 256; fd++) {
		FILE *file;

		snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", process, fd);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof line, file))
			if (!strncmp(line, "recursion_misses:", 17)) {
				missed += atol(line + 17);
				programs++;
			}
		if (file)
			fclose(file);
	}
	return programs ? missed : -1;
}

// Maps with much in them are read again and again, on the processor on which the calls are made.
static void looked_at(void)
{
	char *words[] = { "sigzero", "top", "-a", "-b", "-d", "0.1", "-n", "100000", NULL };
	pid_t tracer, crowds;
	cpu_set_t one;
	int silent = open("/dev/null", O_WRONLY), console = dup(1), status;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	fflush(stdout);
	dup2(silent, 1);
	tracer = start(words, ways[0]);
	sched_setaffinity(tracer, sizeof one, &one);
	dup2(console, 1);
	sleep(2);
	for (int i = 0; i < 300; i++) {
		pid_t child = fork();

		if (!child) {
			each_call();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	crowds = fork();
	if (!crowds) {
		crowd();
		_exit(0);
	}
	waitpid(crowds, NULL, 0);
	check(missed(tracer) == 0, "%s: %ld calls missed while top looks", ways[0], missed(tracer));
	kill(tracer, SIGTERM);
	waitpid(tracer, &status, 0);
	close(silent);
	close(console);
}

static void killed(void)
{
	char number[16];
	char *words[] = { "sigzero", "stat", "--source", "bpf", "-p", number, NULL };
	pid_t idle = fork(), tracer;
	int during;

	if (!idle)
		for (;;)
			pause();
	snprintf(number, sizeof number, "%d", idle);
	tracer = start(words, ways[0]);
	sleep(3);
	during = functions_traced();
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	sleep(1);
	check(during >= 17 && functions_traced() == 0, "%s: %d functions, and %d when it is killed", ways[0],
	      during, functions_traced());
	kill(idle, SIGKILL);
	waitpid(idle, NULL, 0);
}

// While an idle process is traced.
static void prices(bool exact)
{
	struct price alone = neighbour(SYS_getppid), alone_mask = neighbour(SYS_rt_sigprocmask);
	struct price alone_map = neighbour(SYS_mprotect);

	printf("untraced: getppid %.1f (%.1f to %.1f), rt_sigprocmask %.1f, mprotect of nothing %.1f\n",
	       alone.median, alone.least, alone.most, alone_mask.median, alone_map.median);
	for (int i = 0; i < WAYS; i++) {
		char number[16];
		char *words[] = { "sigzero", "stat", "--source", "bpf", "--json", "-o", "/tmp/report", "-p",
				  number, NULL };
		pid_t idle = fork(), tracer;
		struct price other, mask, map;
		double ratio;

		if (!idle)
			for (;;)
				pause();
		snprintf(number, sizeof number, "%d", idle);
		unlink("/tmp/report");
		tracer = start(words, ways[i]);
		sleep(3);
		other = neighbour(SYS_getppid);
		mask = neighbour(SYS_rt_sigprocmask);
		map = neighbour(SYS_mprotect);
		kill(idle, SIGKILL);
		waitpid(idle, NULL, 0);
		check(!end(tracer) && attached(ways[i]), "%s: it was traced", ways[i]);
		ratio = other.median / alone.median;
		printf("%s: getppid %.1f (%.1f to %.1f), ratio %.3f; rt_sigprocmask %.1f, ratio %.3f; mprotect "
		       "of nothing %.1f, ratio %.3f\n",
		       ways[i], other.median, other.least, other.most, ratio, mask.median,
		       mask.median / alone_mask.median, map.median, map.median / alone_map.median);
		if (!exact)
			continue;
		if (i < CHEAP)
			check(ratio <= 1.01, "%s: getppid takes no longer: %.3f", ways[i], ratio);
		else
			check(ratio > 1.02, "%s: and that can be told: %.3f", ways[i], ratio);
	}
}

int main(int argc, char **argv)
{
	static char path[4096];
	bool exact = false;
	int cmdline;

	if (argc > 2 && !strcmp(argv[1], "loop")) {
		program(atol(argv[2]));
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "foreign")) {
		for (int i = 0; i < FOREIGN; i++)
			foreign_call();
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "price")) {
		tell_price(argv[2]);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "crowd")) {
		crowd();
		return 0;
	}
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	snprintf(path, sizeof path, "%s/target/release/sigzero", getenv("ROOT") ?: "");
	sigzero = path;
	if (access(sigzero, X_OK) || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("skip: it needs target/release/sigzero (make cli) and --config bpf\n");
		return 77;
	}
	cmdline = open("/proc/cmdline", O_RDONLY);
	if (read(cmdline, report, sizeof report - 1) > 0)
		exact = strstr(report, "sigzero.clock=any");
	close(cmdline);

	counts("", ways[0]);
	for (int i = 0; i < WAYS; i++)
		counts(ways[i], ways[i]);
	check(!trace(ways[0], "foreign", "0") && strstr(report, "37 system calls of 32-bit programs"),
	      "calls of 32-bit programs are said to be missing");
	may_have_priority = false;
	counts("", ways[CHEAP]);
	may_have_priority = true;
	put("/proc/sys/kernel/ftrace_enabled", "0");
	counts("", ways[CHEAP]);
	put("/proc/sys/kernel/ftrace_enabled", "1");
	for (int i = 0; i < WAYS; i++) {
		int status = trace(ways[i], "crowd", "0");
		long seen = number(function("rt_sigprocmask"), "query");

		if (!check(!status && seen == 15L * N && strstr(report, "\"exact\": true"),
			   "%s: three on one processor: %ld of %ld", ways[i], seen, 15L * N))
			printf("  %.600s\n", report);
		trace(ways[i], "price", ways[i]);
	}
	check(trace("nonsense", "loop", "1"), "another word is refused");
	looked_at();
	killed();
	prices(exact);
	return test_status();
}
