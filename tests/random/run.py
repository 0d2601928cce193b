#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs sigfuzz with the same seed on plain libc and in each mode and demands the same
trace. On a difference the list of steps is made as short as it can be."""
import argparse
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import variants  # noqa: E402

TIMEOUT = 20
PATIENCE = 4
NO_END = "no end"


class Fuzzer:
    def __init__(self, program, runtime, steps):
        self.program, self.runtime, self.steps = program, runtime, steps

    def trace(self, seed, variant, only=None, timeout=TIMEOUT):
        command = [str(self.program), "--seed", str(seed), "--steps", str(self.steps)]
        if only is not None:
            command += ["--only", ",".join(map(str, only))]
        env = variants.environment(variant, self.runtime)
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
            end = f"exit {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its children hold the pipe too
            output, _ = process.communicate()
            end = NO_END
        return output.decode(errors="replace").splitlines() + [end]

    def differs(self, seed, variant, only=None, timeout=TIMEOUT):
        plain = self.trace(seed, variants.PLAIN, only, timeout)
        if plain[-1] == NO_END:  # the sequence locks itself up: it says nothing
            return None
        other = self.trace(seed, variant, only, timeout)
        if other[-1] == NO_END:  # or the machine is busy
            other = self.trace(seed, variant, only, PATIENCE * timeout)
        return None if plain == other else (plain, other)

    def minimise(self, seed, variant, seconds):
        """Delta debugging over the list of steps: drop parts while the difference stays."""
        end = time.monotonic() + seconds
        steps = self.before_difference(seed, variant)
        parts = 2
        while len(steps) > 1 and time.monotonic() < end:
            size = max(1, len(steps) // parts)
            for start in range(0, len(steps), size):
                rest = steps[:start] + steps[start + size:]
                if rest and self.differs(seed, variant, rest, timeout=5):
                    steps, parts = rest, max(parts - 1, 2)
                    break
                if time.monotonic() > end:
                    return steps
            else:
                if size == 1:
                    return steps
                parts = min(len(steps), parts * 2)
        return steps

    def before_difference(self, seed, variant):
        """No step after the one in which the traces part is needed."""
        found = self.differs(seed, variant)
        everything = list(range(self.steps))
        if not found:
            return everything
        last = 0
        for plain, other in zip(*found):
            if plain != other:
                break
            words = plain.split()
            if words[:2] == ["main", "step"]:
                last = int(words[2].rstrip(","))
        shorter = everything[:last + 1]
        return shorter if self.differs(seed, variant, shorter) else everything


def show_difference(plain, other, name):
    at = next((i for i, pair in enumerate(zip(plain, other)) if pair[0] != pair[1]),
              min(len(plain), len(other)))
    for line in plain[max(0, at - 8):at]:
        print(f"    {line[:220]}")
    for who, lines in (("plain", plain), (name, other)):
        for line in lines[at:at + 4]:
            print(f"  {who + ':':8}{line[:220]}")


def report(fuzzer, seed, variant, traces, seconds):
    print(f"seed {seed} differs in mode {variant.name}, {fuzzer.steps} steps")
    first = fuzzer.trace(seed, variants.PLAIN)
    if first != fuzzer.trace(seed, variants.PLAIN) or first != traces[0]:
        print("  and on plain libc from run to run: the tester is wrong")
        return
    steps = fuzzer.minimise(seed, variant, seconds)
    found = fuzzer.differs(seed, variant, steps)
    print(f"  sigfuzz --seed {seed} --steps {fuzzer.steps} --only {','.join(map(str, steps))}")
    if found:
        show_difference(*found, variant.name)
    else:
        print("  the difference does not show each time: a race. The first time it was:")
        show_difference(*traces, variant.name)


def arguments():
    build = HERE.parent.parent / "build"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=build)
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--variant", action="append", choices=list(variants.BY_NAME))
    parser.add_argument("--seed", type=int, help="first seed; without it a fresh one")
    parser.add_argument("--runs", type=int, help="at most so many seeds")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--minimise-seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep-going", action="store_true", help="not only the first difference")
    return parser.parse_args()


class Modes:
    """Which modes a seed is tried in: each that can be lazy, and one of the others in turn."""

    def __init__(self, chosen):
        self.always = [v for v in chosen if v.mode in ("lazy", "check")]
        self.in_turn = [v for v in chosen if v not in self.always]

    def of(self, seed):
        others = self.in_turn
        return self.always + ([others[seed % len(others)]] if others else [])


def search(args, fuzzer, modes, base):
    """Yields (seed, variant) that differ, until the time is over."""
    end = time.monotonic() + args.seconds
    seed = base
    with ThreadPoolExecutor(args.jobs) as pool:
        while time.monotonic() < end and (not args.runs or seed < base + args.runs):
            batch = list(range(seed, seed + args.jobs))
            for found in pool.map(lambda s: compare(fuzzer, s, modes.of(s)), batch):
                yield found
            seed += args.jobs


def compare(fuzzer, seed, modes):
    """(seed, the modes that differ and their traces, how many were tried)"""
    plain = fuzzer.trace(seed, variants.PLAIN)
    if plain[-1] == NO_END:
        return seed, [], 0
    traces = [(mode, (plain, fuzzer.trace(seed, mode))) for mode in modes]
    return seed, [(mode, both) for mode, both in traces if both[0] != both[1]], len(modes)


def main():
    args = arguments()
    runtime = args.runtime or args.build / "runtime" / "libsigzero.so"
    program = args.build / "tests" / "random" / "sigfuzz"
    fuzzer = Fuzzer(program, runtime, args.steps)
    # Plain against plain only when it was asked for: it tests the tester.
    chosen = [variants.BY_NAME[name] for name in args.variant or variants.BY_NAME]
    if args.variant != [variants.PLAIN.name]:
        chosen = [v for v in chosen if v.mode and not v.follow]
    modes = Modes(chosen)
    base = args.seed if args.seed is not None else random.SystemRandom().randrange(10**9)
    compared = failed = 0
    for seed, differing, count in search(args, fuzzer, modes, base):
        compared += count
        for variant, traces in differing:
            failed += 1
            report(fuzzer, seed, variant, traces, args.minimise_seconds)
        if failed and not args.keep_going:
            break
    # Silent when all is well, as the behaviour programs are; the tally goes to a terminal.
    if failed or sys.stdout.isatty():
        print(f"{compared} traces from seed {base} compared, {failed} differ")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
