# SPDX-License-Identifier: MIT
"""What a test must not inherit: a background job starts with SIGINT ignored, say."""
import signal


def reset():
    """Empties the mask and makes default what is ignored, here and in all that we start."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN and number != signal.SIGPIPE:
            signal.signal(number, signal.SIG_DFL)
