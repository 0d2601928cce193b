// SPDX-License-Identifier: MIT
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

// Sends a signal that was taken in the calling thread once more, with its siginfo, to where
// it was sent: to the thread or to the process. Async-signal-safe.
void sz_send_again(int sig, const siginfo_t *info);

// To the calling thread, wherever it was sent.
void sz_send_to_thread(int sig, const siginfo_t *info);

// A mark in the siginfo that sigqueue(3) makes for its own process, where the kernel keeps but
// nobody reads it (the union behind si_value).
#define SZ_SENT_TO_PROCESS 0x7a65726f70726f63u
static inline uint64_t *sz_siginfo_mark(siginfo_t *info)
{
	return (uint64_t *)((char *)info + 32);
}

// A pthread_sigqueue in this process: its siginfo looks like that of a sigqueue.
void sz_sent_to_thread(int sig);
