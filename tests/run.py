#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests: each behaviour on plain libc and in each mode, then the random
tester and the failing system calls. Exit status 1 if anything failed."""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import inherited
import variants

HERE = Path(__file__).resolve().parent
SKIP = 77
STATIC = "static"  # linked with libsigzero.a, so there is nothing to preload
REPORTS = "section_report"  # looks at what the runtime says
LOOK_AT_ENVIRONMENT = ("edge_auxv", "edge_environment")  # which is to have nothing of ours
TIMEOUT = 30


@dataclass
class Result:
    name: str
    state: str  # ok, FAIL or skip
    detail: str = ""


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def execute(command, env, timeout, cwd):
    """Runs in a session of its own, so that a stuck grandchild ends with it."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        kill_group(process)
        process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace").strip()


def judge(name, code, text):
    if code is None:
        return Result(name, "FAIL", f"no end after {TIMEOUT} s\n{text}".strip())
    if code == SKIP:
        return Result(name, "skip", text)
    if code < 0:
        return Result(name, "FAIL", f"killed by signal {-code}\n{text}".strip())
    if code != 0:
        return Result(name, "FAIL", f"exit status {code}\n{text}".strip())
    if text:
        return Result(name, "FAIL", f"passed, but was not silent\n{text}")
    return Result(name, "ok")


# Those that last, and position-dependent ones, run where a mode differs from the others.
LASTING = ("storm", "stress", "churn", "preempt", "lazy_call_", "lazy_default_fatal",
           "lazy_fault_default", "lazy_pending_timer", ".nopie")
DIFFERENT = {"plain", "shadow", "lazy", "lazy-hot", "check-hot"}


def is_worth_it(name, variant, args):
    """Whoever names tests or variants gets what was named."""
    return (args.pattern or args.variant or variant.name in DIFFERENT
            or not any(word in name for word in LASTING))


def behaviours(build):
    """(name, executable) by source, so that one that was not built is missed."""
    folder = build / "tests" / "behaviour"
    for source in sorted((HERE / "behaviour").iterdir()):
        if source.suffix not in (".c", ".cpp") or source.stem.startswith("lib"):
            continue
        yield source.stem, folder / source.stem
        for way in ("nopie", STATIC):
            other = folder / f"{source.stem}.{way}"
            if other.exists():
                yield other.name, other


def run_behaviour(name, executable, variant, runtime):
    label = f"{name} [{variant.name}]"
    if not executable.exists():
        return Result(label, "FAIL", "not built: is it listed in behaviour/meson.build?")
    with tempfile.TemporaryDirectory(prefix="sigzero-test-") as cwd:
        env = variants.environment(variant, None if name.endswith(STATIC) else runtime,
                                   quiet=not name.startswith(REPORTS))
        if variant.mode is None and name.startswith(LOOK_AT_ENVIRONMENT):
            env.pop("SIGZERO_SIGFASTBLOCK", None)
        return judge(label, *execute([str(executable)], env, TIMEOUT, cwd))


def run_script(name, script, arguments, timeout):
    command = [sys.executable, str(HERE / script), *arguments]
    code, text = execute(command, dict(os.environ), timeout, str(HERE))
    if code == 0:
        return Result(name, "ok")
    return judge(name, code, text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build")
    parser.add_argument("--runtime", type=Path, help="libsigzero.so to test")
    parser.add_argument("--variant", action="append", choices=list(variants.BY_NAME),
                        help="only this one; may be repeated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=20, help="for the random tester")
    parser.add_argument("--behaviour-only", action="store_true")
    parser.add_argument("--no-sigfastblock", action="store_true",
                        help="without sigfastblock(2) of the kernel, where it has one")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds for a behaviour")
    parser.add_argument("--quiet", action="store_true", help="show only what did not pass")
    parser.add_argument("pattern", nargs="*", help="run names that contain one of these")
    return parser.parse_args()


def wanted(name, patterns):
    return not patterns or any(pattern in name for pattern in patterns)


def jobs(args, chosen, runtime):
    for name, executable in behaviours(args.build):
        if not wanted(name, args.pattern):
            continue
        for variant in chosen:
            if is_worth_it(name, variant, args):
                yield run_behaviour, (name, executable, variant, runtime)
    if args.behaviour_only:
        return
    common = ["--build", str(args.build), "--runtime", str(runtime)]
    for variant in chosen:
        common += ["--variant", variant.name]
    if wanted("faults", args.pattern):
        yield run_script, ("faults", "faults/run.py", common, 300)
    if wanted("random", args.pattern):
        bounded = common + ["--seconds", str(args.seconds)]
        yield run_script, ("random", "random/run.py", bounded, 300 + 3 * args.seconds)


def report(result, quiet, lock):
    if quiet and result.state == "ok":
        return
    with lock:
        print(f"{result.state:4} {result.name}")
        if result.detail:
            print("     " + result.detail.replace("\n", "\n     "))
        sys.stdout.flush()


def main():
    global TIMEOUT
    inherited.reset()
    args = arguments()
    TIMEOUT = args.timeout
    variants.sigfastblock = not args.no_sigfastblock
    args.build = args.build.resolve()
    runtime = (args.runtime or args.build / "runtime" / "libsigzero.so").resolve()
    chosen = [variants.BY_NAME[name] for name in args.variant or variants.BY_NAME]
    if not runtime.exists() and any(variant.mode for variant in chosen):
        sys.exit(f"run.py: no runtime at {runtime}: build it, or give --variant plain")
    lock = threading.Lock()
    count = {"ok": 0, "FAIL": 0, "skip": 0}

    def one(job):
        function, parameters = job
        result = function(*parameters)
        report(result, args.quiet, lock)
        return result.state

    with ThreadPoolExecutor(args.jobs) as pool:
        for state in pool.map(one, list(jobs(args, chosen, runtime))):
            count[state] += 1
    if not sum(count.values()):
        sys.exit("run.py: no test has such a name")
    print(f"{count['ok']} passed, {count['FAIL']} failed, {count['skip']} skipped")
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
