// SPDX-License-Identifier: MIT
// A call that waits, and a signal that comes meanwhile: blocked, with the default action or a
// handler, the call goes on; open, it ends or is restarted as on any Linux.
#pragma once
#include "lazy.h"

// What a handler that ran does to the call.
enum ending {
	ENDS,     // always EINTR
	RESTARTS, // EINTR, or goes on if the handler has SA_RESTART
	GOES_ON   // never EINTR
};

struct call {
	const char *name;
	enum ending ending;
	int (*run)(void);      // makes the call; -1 with errno if it fails
	void (*release)(void); // lets it end, called in another process; NULL: it ends by itself
	void (*prepare)(void);
	void (*finish)(void);
};

enum { HELD_HANDLER, HELD_RESTART, HELD_DEFAULT, OPEN_HANDLER, OPEN_RESTART, CALL_CASES };

static const char *const call_cases[CALL_CASES] = {
	"blocked, handler", "blocked, handler with SA_RESTART", "blocked, default action",
	"open, handler", "open, handler with SA_RESTART"};

static struct call_state {
	volatile int going, runs, returned, done;
} *call_state;
static const struct call *call_now;
static int call_case;

static void call_handler(int sig)
{
	(void)sig;
	call_state->runs++;
}

static int call_is_held(void)
{
	return call_case < OPEN_HANDLER;
}

static int call_ends(void)
{
	return !call_is_held() && (call_now->ending == ENDS ||
	                           (call_now->ending == RESTARTS && call_case == OPEN_HANDLER));
}

static void call_fail(const char *what, long value)
{
	char text[256];
	snprintf(text, sizeof text, "%s, %s: %s (%ld)", call_now->name, call_cases[call_case], what,
	         value);
	t_fail(__FILE__, __LINE__, text);
}

static void call_helper(pid_t us)
{
	AWAIT(call_state->going && t_is_asleep(us));
	kill(us, SIGUSR1);
	if (!call_ends()) {
		if (call_is_held())
			AWAIT(t_pending_of(us) & BIT(SIGUSR1));
		else
			AWAIT(call_state->runs);
		if (call_now->release) {
			AWAIT(call_state->returned || t_is_asleep(us));
			if (call_state->returned)
				call_fail("ended too early", 0);
			call_now->release();
		}
	}
	call_state->done = 1;
	_exit(0);
}

static void call_judge(int ret, int err)
{
	if (call_ends() && (ret != -1 || err != EINTR))
		call_fail("was not ended", ret < 0 ? -err : ret);
	if (!call_ends() && ret < 0)
		call_fail("failed", err);
	if (call_state->runs != !call_is_held())
		call_fail("runs of the handler", call_state->runs);
}

// The signal that was held is delivered, or thrown away where it would be the end.
static void call_open(void)
{
	if (call_case == HELD_DEFAULT)
		signal(SIGUSR1, SIG_IGN);
	t_setmask(0);
	if (call_state->runs != (call_case != HELD_DEFAULT))
		call_fail("runs of the handler in the end", call_state->runs);
}

static void call_one(void)
{
	memset((void *)call_state, 0, sizeof *call_state);
	if (call_case == HELD_DEFAULT)
		signal(SIGUSR1, SIG_DFL);
	else
		t_handle(SIGUSR1, call_handler,
		         call_case == HELD_RESTART || call_case == OPEN_RESTART ? SA_RESTART : 0,
		         0);
	if (call_now->prepare)
		call_now->prepare();
	t_stranger(call_helper);
	t_setmask(BIT(SIGHUP) | (call_is_held() ? BIT(SIGUSR1) : 0));
	errno = 0;
	call_state->going = 1;
	int ret = call_now->run();
	int err = errno;
	call_state->returned = 1;
	call_judge(ret, err);
	AWAIT(call_state->done);
	call_open();
	if (call_now->finish)
		call_now->finish();
}

static void call_all(const struct call *calls, int count)
{
	call_state = t_share(sizeof *call_state);
	for (int i = 0; i < count; i++)
		for (call_case = 0; call_case < CALL_CASES; call_case++) {
			call_now = &calls[i];
			call_one();
		}
}

#define CALL_ALL(calls) call_all(calls, sizeof(calls) / sizeof *(calls))
