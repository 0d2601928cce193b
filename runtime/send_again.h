// SPDX-License-Identifier: MIT
#pragma once
#include <signal.h>
#include <stdbool.h>

// Sends a signal that was taken in the calling thread once more, with its siginfo, to where
// it was sent: to the thread or to the process. Async-signal-safe.
void sz_send_again(int sig, const siginfo_t *info);

// To the calling thread, wherever it was sent.
void sz_send_to_thread(int sig, const siginfo_t *info);

// A pthread_sigqueue in this process: its siginfo looks like that of a sigqueue.
void sz_sent_to_thread(int sig);
