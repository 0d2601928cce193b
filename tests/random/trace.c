// SPDX-License-Identifier: MIT
// The trace: one line an event, written at once, so that no child repeats it.
#include <stdarg.h>

#include "fuzz.h"

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static void write_line(char *text, int size, int used)
{
	if (used > size - 2)
		used = size - 2;
	text[used++] = '\n';
	t_syscall(SYS_write, 1, (long)text, used, 0);
}

static int prefix(char *text, int size)
{
	struct stack *stack = fz_stack();
	return snprintf(text, (size_t)size, "%*s%s%s ", 2 * stack->depth, "", stack->name,
	                fz_restricted ? "(vfork)" : fz_child ? "(fork)" : "");
}

void fz_line(const char *format, ...)
{
	char text[1024];
	int used = prefix(text, sizeof text);
	va_list args;
	va_start(args, format);
	used += vsnprintf(text + used, sizeof text - (size_t)used, format, args);
	va_end(args);
	write_line(text, sizeof text, used);
}

// With what can be seen after an operation: errno, the mask as the program sees it and as
// the kernel has it, and the same for what is pending.
void fz_result(const char *format, ...)
{
	char text[1024];
	int err = fz_errno();
	int used = prefix(text, sizeof text);
	va_list args;
	va_start(args, format);
	used += vsnprintf(text + used, sizeof text - (size_t)used, format, args);
	va_end(args);
	used += snprintf(text + used, sizeof text - (size_t)used,
	                 " | errno %d mask %llx/%llx pending %llx/%llx", err,
	                 (unsigned long long)t_view(), (unsigned long long)t_kernel_mask(),
	                 (unsigned long long)t_pending(), (unsigned long long)t_kernel_pending());
	write_line(text, sizeof text, used);
}

static char kernel_class(int sig)
{
	struct kernel_sigaction act;
	memset(&act, 0, sizeof act);
	t_syscall(SYS_rt_sigaction, sig, 0, (long)&act, 8);
	return act.handler == (void *)SIG_DFL ? 'd' : act.handler == (void *)SIG_IGN ? 'i' : 'c';
}

void fz_dispositions(void)
{
	char text[1024];
	int used = prefix(text, sizeof text);
	for (int i = 0; i < FZ_SIGNALS; i++) {
		struct sigaction act;
		memset(&act, 0, sizeof act);
		sigaction(fz_signals[i], NULL, &act);
		used += snprintf(text + used, sizeof text - (size_t)used, "%d:%s%c,%x,%llx ",
		                 fz_signals[i], fz_disposition_name((void *)act.sa_handler),
		                 kernel_class(fz_signals[i]), (unsigned)act.sa_flags,
		                 (unsigned long long)t_bits(&act.sa_mask));
	}
	write_line(text, sizeof text, used);
}
