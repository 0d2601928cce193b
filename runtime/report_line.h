// SPDX-License-Identifier: MIT
// One line of text, put together and written without libc: usable in any signal handler.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

struct sz_line {
	size_t length;
	char text[384];
};

static inline void sz_line_text(struct sz_line *line, const char *text)
{
	while (*text && line->length < sizeof line->text - 2)
		line->text[line->length++] = *text++;
}

static inline void sz_line_start(struct sz_line *line, const char *text)
{
	line->length = 0;
	sz_line_text(line, text);
}

static inline void sz_line_number(struct sz_line *line, uint64_t value, unsigned base)
{
	char digits[24];
	char *p = digits + sizeof digits;

	*--p = 0;
	do
		*--p = "0123456789abcdef"[value % base];
	while (value /= base);
	sz_line_text(line, p);
}

static inline void sz_line_hex(struct sz_line *line, uint64_t value)
{
	sz_line_number(line, value, 16);
}

static inline void sz_line_write(struct sz_line *line)
{
	line->text[line->length++] = '\n';
	sz_syscall4(SYS_write, 2, (long)line->text, (long)line->length, 0);
}
