// SPDX-License-Identifier: MIT
// pthread_cancel(3), POSIX. libc cancels by a signal of its own, whose handler never returns: it
// unwinds out of whatever it interrupted, our windows and sigsuspend's mask included, and the
// cleanup handlers of the program run with whatever mask that leaves. So a thread that is
// being cancelled remembers nothing more. Not async-signal-safe.
#include <pthread.h>

#include "mode.h"
#include "real.h"
#include "thread_state.h"
#include "visibility.h"

// In glibc a pthread_t is the address that thread-local storage is laid out from, so ours lies
// as far from the other thread's as from our own. Its memory stays until it is joined.
static struct sz_thread *state_of(pthread_t thread)
{
	return (struct sz_thread *)((char *)&sz_thread + (thread - pthread_self()));
}

SZ_INTERPOSE int pthread_cancel(pthread_t thread)
{
	sz_ensure_started();
	__atomic_store_n(&state_of(thread)->forgetful, 1, __ATOMIC_SEQ_CST);
	return sz_real_pthread_cancel(thread);
}
