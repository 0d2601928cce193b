#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A signal between any two instructions: every operation with every handler, on plain libc
and under the runtime. All that a run under the runtime ends with must be something that plain
libc can end with too. Exit status 1 if anything failed."""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import inherited  # noqa: E402

ONE_CALL = ["block", "unblock", "query", "deliver", "edited", "pending", "install",
            "cold-block", "cold-query"]
SAVED = ["jump", "context", "getset", "cold-jump"]
PAIRS = ["pair", "pair-restarting", "nest", "unblock-first", "flush", "look-pending", "hold",
         "hold-both", "hold-edited", "deliver-blocked", "jump-blocked", "context-blocked",
         "cold-pair", "cold-hold"]
DISPOSITIONS = ["flip", "flip-open", "ignore"]
EDGES = ["read", "read-tightly", "write-tightly", "wait-tightly", "read-blocked", "suspend",
         "suspend-blocked", "vfork", "vfork-blocked"]
SECTIONS = ["section-first", "section", "section-nested", "section-twice", "section-blocked",
            "section-blocked-inside", "section-deliver", "section-pending", "section-vfork",
            "section-word", "section-both"]
OPERATIONS = ONE_CALL + SAVED + PAIRS + DISPOSITIONS + EDGES + SECTIONS
HANDLERS = ["look", "change", "edit", "clear", "open", "install", "reinstall", "jump", "section"]
QUICK = ["look", "edit"]
# vfork's child must not jump out of the function that made it. A handler that opens the mask
# takes the signal that sigsuspend was to wait for. A section is left by leaving it.
UNDEFINED = {("vfork", "jump"), ("vfork-blocked", "jump"), ("section-vfork", "jump"),
             ("suspend", "clear"),
             ("suspend", "open"), ("suspend-blocked", "clear"), ("suspend-blocked", "open")}
# Shadow blocks as the program says: what is about lazy blocking would only repeat itself.
MODES = {name: ["lazy"] for name in PAIRS + SECTIONS}
LIMIT = 300
FEW = 20  # of libc's instructions one in so many is tried under the runtime


@dataclass
class Row:
    operation: str
    handler: str

    def name(self, mode):
        return f"{self.operation} with a handler that does {self.handler} [{mode}]"

    def oracle(self):
        """Sections are not in libc: the oracle has the real mask for them."""
        return "off" if self.operation in SECTIONS else "plain"


def run(row, mode, here, runtime):
    """What the runs ended with, each with the place that first led to it, and what failed."""
    target = here / ("steps_target_sections" if row.operation in SECTIONS else "steps_target")
    library = "-" if mode == "plain" else str(runtime)
    every = "1" if mode == row.oracle() else str(FEW)
    command = [str(here / "steps_everywhere"), library, mode, every, str(target), row.operation, row.handler]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {}, f"no end after {LIMIT} s"
    outcomes = dict(line.split("\t") for line in done.stdout.splitlines())
    failure = done.stderr.strip() or f"exit status {done.returncode}"
    return outcomes, failure if done.returncode else ""


def judge(row, modes, here, runtime):
    """(mode, what is wrong) of each, the oracle first."""
    possible, failure = run(row, row.oracle(), here, runtime)
    yield row.oracle(), failure
    for mode in modes:
        outcomes, failure = run(row, mode, here, runtime)
        for outcome, place in outcomes.items():
            if outcome and outcome not in possible:
                failure += f"\n{place}: only under the runtime: {outcome}"
        yield mode, failure.strip()


def rows(patterns, handlers):
    for operation in OPERATIONS:
        if patterns and operation not in patterns:
            continue
        for handler in handlers:
            if handler == "section" and operation not in SECTIONS:
                continue
            if (operation, handler) not in UNDEFINED:
                yield Row(operation, handler)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mode", action="append", choices=["shadow", "lazy", "check"])
    parser.add_argument("--handler", action="append", choices=HANDLERS)
    parser.add_argument("--quick", action="store_true", help="the two most telling handlers")
    parser.add_argument("pattern", nargs="*", help="operations to try")
    return parser.parse_args()


def main():
    inherited.reset()
    args = arguments()
    runtime = (args.runtime or args.build / "runtime/libsigzero.so").resolve()
    here = (args.build / "tests/steps").resolve()
    handlers = args.handler or (QUICK if args.quick else HANDLERS)
    for name in list(os.environ):
        if name.startswith("SIGZERO_") or name == "LD_PRELOAD":
            del os.environ[name]
    os.environ.update(inherited.filters())
    passed = failed = 0

    def one(row):
        modes = args.mode or MODES.get(row.operation, ["shadow", "lazy"])
        return row, list(judge(row, modes, here, runtime))

    with ThreadPoolExecutor(args.jobs) as pool:
        for row, results in pool.map(one, rows(args.pattern, handlers)):
            for mode, failure in results:
                passed += not failure
                failed += bool(failure)
                if failure:
                    print(f"FAIL steps: {row.name(mode)}\n{failure}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
