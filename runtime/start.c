// SPDX-License-Identifier: MIT
// The start of the runtime, and its end when it has to step aside.
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "doctor.h"
#include "environment.h"
#include "inherited.h"
#include "jump.h"
#include "lazy.h"
#include "mask.h"
#include "mode.h"
#include "real.h"
#include "refuse.h"
#include "report_line.h"
#include "section.h"
#include "thread_state.h"
#include "watch.h"

uint32_t sz_mode;
uint32_t sz_remember;
uint64_t sz_usable = SZ_NEVER;
uint8_t sz_checking;

static bool quiet;

void sz_say(const char *text)
{
	struct sz_line line;

	sz_watch_note(text);
	if (quiet)
		return;
	sz_line_start(&line, "sigzero: ");
	sz_line_text(&line, program_invocation_short_name);
	sz_line_text(&line, ": ");
	sz_line_text(&line, text);
	sz_line_write(&line);
}

void sz_step_aside(const char *why)
{
	struct sz_line line;

	if (!__atomic_exchange_n(&sz_remember, 0, __ATOMIC_ACQ_REL))
		return;
	sz_doctor.stepped_aside = why;
	sz_usable = SZ_NEVER;
	sz_mask_directly = false;
	sz_checking = 0;
	sz_mode = SZ_OFF;
	sz_lazy_mode = false;
	sz_lazy_ok = 0;
	sz_section_fall_back();
	sz_line_start(&line, "stepping aside, every call goes to the kernel from here: ");
	sz_line_text(&line, why);
	line.text[line.length] = 0;
	sz_say(line.text);
}

static bool followed(const char *patterns)
{
	char pattern[256];

	while (*patterns) {
		size_t length = strcspn(patterns, ":");

		if (length < sizeof pattern) {
			memcpy(pattern, patterns, length);
			pattern[length] = 0;
			if (fnmatch(pattern, program_invocation_short_name, 0) == 0)
				return true;
		}
		patterns += length + (patterns[length] == ':');
	}
	return false;
}

static enum sz_mode decide(const struct sz_settings *settings)
{
	const char *why;
	struct sz_line line;

	if (settings->bad_mode) {
		sz_line_start(&line, "left alone: there is no mode `");
		sz_line_text(&line, settings->bad_mode);
		sz_line_text(&line, "'; SIGZERO_MODE is watch, shadow, lazy, check or off");
		line.text[line.length] = 0;
		sz_say(line.text);
		return SZ_OFF;
	}
	if (settings->mode == SZ_OFF || (settings->follow && !followed(settings->follow)))
		return SZ_OFF;
	why = sz_refuse();
	if (why) {
		sz_doctor.refused = why;
		sz_line_start(&line, "left alone: ");
		sz_line_text(&line, why);
		line.text[line.length] = 0;
		sz_say(line.text);
		return SZ_OFF;
	}
	return settings->mode;
}

__attribute__((constructor(101))) void sz_start(void)
{
	struct sz_settings settings;
	enum sz_mode mode;

	if (sz_mode != SZ_UNSET)
		return;
	if (!sz_real_siglongjmp)
		sz_real_find();
	if (!environ) // called before libc's own start: pass everything through until then
		return;
	sz_mode = SZ_OFF; // while we look around
	sz_doctor_start();
	sz_environment_read(&settings);
	quiet = settings.quiet;
	mode = decide(&settings);
	sz_mode = mode;
	if (mode == SZ_WATCH)
		sz_watch_start(settings.out, settings.follow != NULL);
	sz_jump_start();
	sz_context_start_up();
	sz_checking = mode == SZ_CHECK;
	sz_remember = mode == SZ_SHADOW || mode == SZ_LAZY || mode == SZ_CHECK;
	sz_lazy_mode = mode == SZ_LAZY || mode == SZ_CHECK;
	if (settings.hot)
		sz_hot_threshold = (unsigned)strtoul(settings.hot, NULL, 10);
	if (settings.filters)
		sz_filters_tried = strtoul(settings.filters, NULL, 10);
	sz_usable = mode == SZ_SHADOW ? SZ_IS_KNOWN : SZ_NEVER;
	sz_mask_directly = mode == SZ_SHADOW;
}
