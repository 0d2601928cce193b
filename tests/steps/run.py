#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A signal between any two instructions: every operation with every handler, on plain libc
and under the runtime. Exit status 1 if anything failed."""
import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OPERATIONS = ["block", "unblock", "query", "deliver", "edited", "pending", "jump", "context",
              "getset", "suspend", "vfork", "install", "cold-block", "cold-query", "cold-jump"]
HANDLERS = ["look", "change", "edit", "clear", "install", "jump"]
# vfork's child must not jump out of the function that made it. And a handler that opens the
# mask takes the signal that sigsuspend was to wait for.
UNDEFINED = {("vfork", "jump"), ("suspend", "clear")}
LIMIT = 120


def one(row, steps, target):
    library, mode, operation, handler = row
    try:
        done = subprocess.run([steps, library, mode, target, operation, handler],
                              capture_output=True, text=True, timeout=LIMIT)
        return row, done.returncode, done.stderr.strip()
    except subprocess.TimeoutExpired:
        return row, None, f"no end after {LIMIT} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--quick", action="store_true", help="the two most telling handlers")
    parser.add_argument("pattern", nargs="*", help="operations to try")
    args = parser.parse_args()
    runtime = args.runtime or args.build / "runtime/libsigzero.so"
    handlers = ["look", "edit"] if args.quick else HANDLERS
    operations = [o for o in OPERATIONS if not args.pattern or o in args.pattern]
    rows = [(library, mode, operation, handler)
            for operation in operations for handler in handlers
            for library, mode in (("-", "plain"), (str(runtime), "shadow"))
            if (operation, handler) not in UNDEFINED]
    here = args.build / "tests/steps"
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for row, code, text in pool.map(lambda r: one(r, here / "steps", here / "steps_target"),
                                        rows):
            if code == 0:
                passed += 1
                continue
            failed += 1
            print(f"FAIL steps: {row[2]} with a handler that does {row[3]} [{row[1]}]\n{text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
