# SPDX-License-Identifier: MIT
"""One million queries of the mask: wall time, the start of the process and tool included."""
import shutil
import subprocess

from commands import PLAIN, TREATED, environment, wall_seconds
from samples import Series

GROUP = "mask loop"
NAME = "1,000,000 queries"
SLOW_ROUNDS = 3
PATIENCE_S = 20
STAT = "sigzero stat"
COUNTS = "sigzero stat, bpf, no stacks"
STACKS = "sigzero stat, bpf, stacks"
TOOLS = {
    "strace -c": ["strace", "-c", "-o", "/dev/null"],
    "perf trace -s": ["perf", "trace", "-s", "-o", "/dev/null"],
}


def jobs(built, samples):
    loop = [str(built.program("mask_loop")), "1000000"]
    yield timed(samples, PLAIN, loop)
    yield timed(samples, TREATED, loop, built.runtime)
    if built.sigzero.exists():
        yield timed(samples, STAT, [str(built.sigzero), "stat", "--", *loop])
        yield from from_the_kernel(samples, [str(built.sigzero), "stat", "--source", "bpf"], loop)
    else:
        samples.miss(series(STAT), "not built: cargo build --release")
    for tool, command in TOOLS.items():
        if works(command):
            yield sparingly(timed(samples, tool, command + loop), samples, series(tool))
        else:
            samples.miss(series(tool), "not installed or not permitted")


def from_the_kernel(samples, stat, loop):
    for variant, options in (COUNTS, ["--no-stacks"]), (STACKS, []):
        # Of nothing, since a command would be counted by ptrace where eBPF is refused.
        if ends_well([*stat, "-a", "--duration", "0", "-o", "/dev/null"]):
            yield timed(samples, variant, [*stat, *options, "--", *loop])
        else:
            samples.miss(series(variant), "eBPF is not permitted")


def series(variant):
    return Series(GROUP, NAME, variant)


def timed(samples, variant, command, runtime=None):
    def run(round_number):
        samples.add(series(variant), round_number, wall_seconds(command, runtime))
    return run


def sparingly(job, samples, key):
    """A tracer may take a minute a run: then one round must do."""
    def run(round_number):
        slow = any(seconds > PATIENCE_S for seconds in samples.values(key))
        if round_number < SLOW_ROUNDS and not slow:
            job(round_number)
    return run


def works(tool):
    return shutil.which(tool[0]) is not None and ends_well([*tool, "true"])


def ends_well(command):
    return subprocess.run(command, env=environment(), capture_output=True, check=False).returncode == 0
