#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A signal between any two instructions of entering and leaving critical sections. Exit status
1 if anything failed."""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Guarded from the first section on; blocking for real. A stepped program cannot keep SIGTRAP
# blocked, so nothing may be compared with the kernel while a section holds: `real` is mode off, and
# under `check` no signal is held but the one that is sent.
WORLDS = {"hot": "lazy", "check": "check", "real": "off"}
OPERATIONS = {
    "empty": ("hot", "check", "real"),
    "held": ("hot", "real"),
    "nested": ("hot",),
    "mask": ("hot", "check", "real"),
    "pending": ("hot",),
    "vfork": ("hot", "check", "real"),
    "both": ("hot", "check"),
    "word": ("hot",),
}
HANDLERS = ["look", "section", "jump", "edit", "change"]
# vfork's child must not jump out of the function that made it.
UNDEFINED = {("vfork", "jump")}
LIMIT = 300


def one(row, steps, target, runtime):
    world, operation, handler = row
    mode = WORLDS[world]
    env = {**os.environ, "SIGZERO_HOT": "0"}
    try:
        done = subprocess.run([steps, runtime, mode, target, operation, handler], env=env,
                              capture_output=True, text=True, timeout=LIMIT)
        return row, done.returncode, done.stderr.strip()
    except subprocess.TimeoutExpired:
        return row, None, f"no end after {LIMIT} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--world", action="append", choices=list(WORLDS))
    parser.add_argument("--all", action="store_true", help="every handler with every operation")
    parser.add_argument("pattern", nargs="*", help="operations to try")
    args = parser.parse_args()
    here = args.build / "tests/steps"
    runtime = str(args.runtime or args.build / "runtime/libsigzero.so")
    rows = [(world, operation, handler)
            for operation, worlds in OPERATIONS.items() for world in worlds
            for handler in (HANDLERS if args.all or operation == "empty" else HANDLERS[:3])
            if (not args.pattern or operation in args.pattern)
            and (not args.world or world in args.world)
            and (operation, handler) not in UNDEFINED]
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for row, code, text in pool.map(
                lambda r: one(r, here / "steps", here / "steps_sections", runtime), rows):
            if code == 0:
                passed += 1
                continue
            failed += 1
            print(f"FAIL section {row[1]} with a handler that does {row[2]} [{row[0]}]\n{text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
