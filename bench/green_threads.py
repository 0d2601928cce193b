# SPDX-License-Identifier: MIT
"""Two green threads that change places after each instruction: time and system calls."""
import re
import subprocess
import tempfile

from commands import PLAIN, TREATED, environment, output, preloaded, wall_seconds
from samples import Series

GROUP = "green threads"
CONTEXT, SETJMP, NONE = "getcontext + setcontext", "_setjmp + _longjmp", "no switch"
PROGRAMS = {CONTEXT: "green_threads_context", SETJMP: "green_threads_setjmp", NONE: "green_threads_none"}
SLOW_ROUNDS = 3


def series(name, variant=PLAIN):
    return Series(GROUP, name, variant)


def command(built, name, steps):
    return [str(built.program(PROGRAMS[name])), str(steps)]


def jobs(built, samples, steps):
    check_outputs(built, steps)
    for name, variant in ((CONTEXT, TREATED), (SETJMP, PLAIN), (SETJMP, TREATED), (NONE, PLAIN), (CONTEXT, PLAIN)):
        runtime = built.runtime if variant == TREATED else None
        yield timed(samples, series(name, variant), command(built, name, steps), runtime)


def timed(samples, key, program, runtime):
    slow = key == series(CONTEXT)

    def run(round_number):
        if not slow or round_number < SLOW_ROUNDS:
            samples.add(key, round_number, wall_seconds(program, runtime))
    return run


def check_outputs(built, steps):
    """A run that computed something else is not a run to compare with."""
    expected = output(command(built, NONE, steps))
    for name, runtime in ((SETJMP, None), (CONTEXT, built.runtime)):
        got = output(command(built, name, steps), runtime)
        if got != expected:
            raise RuntimeError(f"green threads, {name}: {got.strip()} instead of {expected.strip()}")


def count_mask_calls(built, steps):
    """rt_sigprocmask made by the getcontext build, by variant, and who counted."""
    program = command(built, CONTEXT, steps)
    variants = {PLAIN: program, TREATED: preloaded(program, built.runtime)}
    for counter in (perf_count, strace_count):
        try:
            return {v: counter(c) for v, c in variants.items()}, counter.__doc__
        except (OSError, RuntimeError):
            continue
    return {}, "neither perf nor strace can count here"


def perf_count(program):
    """perf stat on the tracepoint"""
    done = subprocess.run(["perf", "stat", "-x,", "-e", "syscalls:sys_enter_rt_sigprocmask", *program],
                          env=environment(), capture_output=True, text=True, check=False)
    found = re.search(r"^(\d+),", done.stderr, re.MULTILINE)
    if done.returncode or not found:
        raise RuntimeError(done.stderr)
    return int(found[1])


def strace_count(program):
    """strace -c"""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as report:
        subprocess.run(["strace", "-f", "-c", "-U", "calls,name", "-e", "trace=rt_sigprocmask",
                        "-o", report.name, *program],
                       env=environment(), stdout=subprocess.DEVNULL, check=True)
        found = re.search(r"^\s*(\d+)\s+rt_sigprocmask", report.read(), re.MULTILINE)
    return int(found[1]) if found else 0
