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
    else:
        samples.miss(series(STAT), "not built: cargo build --release")
    for tool, command in TOOLS.items():
        if works(command):
            yield sparingly(timed(samples, tool, command + loop), samples, series(tool))
        else:
            samples.miss(series(tool), "not installed or not permitted")


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
    if not shutil.which(tool[0]):
        return False
    return subprocess.run([*tool, "true"], env=environment(), capture_output=True, check=False).returncode == 0
