# SPDX-License-Identifier: MIT
"""System calls of a program and all its children, counted from outside by strace.

Children that the runtime does not treat are counted on both sides, so the two sides
still compare like with like.
"""
import re
from tempfile import NamedTemporaryFile

from outcome import run
from runtime import under_one_more_filter

SIGNAL_CALLS = ("rt_sigprocmask", "rt_sigaction")
# What mode lazy sends again, since it arrived while it was blocked.
SENDING = ("rt_sigqueueinfo", "rt_tgsigqueueinfo")
COUNTED = SIGNAL_CALLS + SENDING
LINE = re.compile(r"^\s*(\d+)\s+(\w+)$", re.MULTILINE)


def count(command, folder, stdin, env, extra_env, calls=COUNTED):
    """Calls by name; `calls` None counts them all, under the name `total`."""
    with NamedTemporaryFile("r", encoding="utf-8") as report:
        strace = ["strace", "-f", "-c", "-U", "calls,name", "-o", report.name]
        if calls:
            strace += ["--seccomp-bpf", "-e", "trace=" + ",".join(calls)]
            extra_env = under_one_more_filter(extra_env)
        for name, value in extra_env.items():
            strace += ["-E", f"{name}={value}"]
        run([*strace, *command], folder, stdin, env)
        counted = {name: int(number) for number, name in LINE.findall(report.read())}
    return {c: counted.get(c, 0) for c in calls} if calls else {"total": counted.get("total", 0)}
