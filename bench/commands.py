# SPDX-License-Identifier: MIT
"""How a program is started: bare, under the runtime, or under a tool."""
import os
import subprocess
import time

PLAIN, TREATED = "glibc", "sigzero"


def environment(runtime=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SIGZERO_")}
    env.pop("LD_PRELOAD", None)
    if runtime:
        env |= {"LD_PRELOAD": str(runtime), "SIGZERO_MODE": "lazy", "SIGZERO_QUIET": "1"}
    return env


def output(command, runtime=None):
    done = subprocess.run(command, env=environment(runtime), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def wall_seconds(command, runtime=None):
    start = time.perf_counter()
    output(command, runtime)
    return time.perf_counter() - start


def preloaded(command, runtime):
    """For a tool that must not be preloaded itself: only its child is."""
    settings = environment(runtime).items() - environment().items()
    return ["env", *(f"{k}={v}" for k, v in sorted(settings)), *command]
