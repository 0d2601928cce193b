# SPDX-License-Identifier: MIT
"""What a test must not inherit, as SIGINT that a background job ignores; and what it cannot shake off."""
import signal
from pathlib import Path


def reset():
    """Empties the mask and makes default what is ignored, here and in all that we start."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN and number != signal.SIGPIPE:
            signal.signal(number, signal.SIG_DFL)


def filters():
    """For the runtime's environment: the seccomp filters of the container that we run in, which
    is taken to let signals be sent."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("Seccomp_filters:"):
            count = line.split()[1]
            return {"SIGZERO_FILTERS": count} if count != "0" else {}
    return {}
