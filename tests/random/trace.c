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

const char *fz_mask_text(char *text, int size)
{
	uint64_t seen = t_view(), kernel = t_kernel_mask();
	if (t_fits(kernel, seen))
		snprintf(text, (size_t)size, "%llx", (unsigned long long)seen);
	else
		snprintf(text, (size_t)size, "%llx, but the kernel's %llx",
		         (unsigned long long)seen, (unsigned long long)kernel);
	return text;
}

// sigpending may make the kernel's mask the program's, so it is asked now and then only.
static uint64_t see_pending(uint64_t kernel)
{
	static unsigned results;
	return ++results % 8 ? kernel : t_pending();
}

// With what can be seen after an operation: errno, the mask and the kernel's where that does not
// fit, and what is pending.
void fz_result(const char *format, ...)
{
	char text[1024], mask[FZ_MASK_TEXT];
	int err = fz_errno();
	int used = prefix(text, sizeof text);
	uint64_t kernel = t_kernel_pending(), pending = see_pending(kernel);
	va_list args;
	va_start(args, format);
	used += vsnprintf(text + used, sizeof text - (size_t)used, format, args);
	va_end(args);
	used += snprintf(text + used, sizeof text - (size_t)used,
	                 " | errno %d mask %s pending %llx", err, fz_mask_text(mask, sizeof mask),
	                 (unsigned long long)pending);
	if (pending != kernel)
		used += snprintf(text + used, sizeof text - (size_t)used, ", but the kernel's %llx",
		                 (unsigned long long)kernel);
	write_line(text, sizeof text, used);
}

// A runtime may stand in for the default action.
static char kernel_class(int sig, const struct sigaction *seen)
{
	struct kernel_sigaction act;
	memset(&act, 0, sizeof act);
	t_syscall(SYS_rt_sigaction, sig, 0, (long)&act, 8);
	if (act.handler == (void *)SIG_DFL || (t_lazy && seen->sa_handler == SIG_DFL && fz_fatal(sig)))
		return 'd';
	return act.handler == (void *)SIG_IGN ? 'i' : 'c';
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
		                 kernel_class(fz_signals[i], &act), (unsigned)act.sa_flags,
		                 (unsigned long long)t_bits(&act.sa_mask));
	}
	write_line(text, sizeof text, used);
}
