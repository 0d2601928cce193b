# SPDX-License-Identifier: MIT
"""Runs the benchmarks: every series once a round, the rounds interleaved."""
import argparse
import json
import shlex
import sys
from datetime import datetime
from pathlib import Path

import green_threads
import machine
import mask_loop
import micro
import plot
import report
from build import ROOT, build
from samples import Samples

RESULTS = Path(__file__).resolve().parent / "results"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each series (default 7)")
    parser.add_argument("--steps", type=int, default=10_000_000, help="steps of each green thread")
    parser.add_argument("--only", choices=["micro", "loop", "green"], help="one part only")
    parser.add_argument("--build", default=ROOT / "build", help="the Meson build folder")
    options = parser.parse_args()
    if options.rounds < 1 or options.steps < 1:
        parser.error("rounds and steps start at 1")
    return options


def all_jobs(options, built, samples):
    if options.only in (None, "micro"):
        yield from micro.jobs(built, samples)
    if options.only in (None, "loop"):
        yield from mask_loop.jobs(built, samples)
    if options.only in (None, "green"):
        yield from green_threads.jobs(built, samples, options.steps)


def run_rounds(jobs, rounds):
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        # A different job starts each round, so that none always follows the same one's heat.
        first = number * len(jobs) // rounds
        for job in jobs[first:] + jobs[:first]:
            job(number)


def write(run, samples, calls, counter):
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / datetime.now().strftime("bench-%Y%m%d-%H%M%S")
    text = report.text(run, samples, calls, counter)
    stem.with_suffix(".txt").write_text(text, encoding="utf-8")
    stem.with_suffix(".json").write_text(json.dumps(report.data(run, samples, calls, counter), indent=1) + "\n",
                                         encoding="utf-8")
    print(text)
    drawn = plot.write(samples, f"sigzero bench, {run['date']}, {run['processor']}", stem.with_suffix(".svg"))
    print(f"written: {stem.relative_to(ROOT)}.txt, .json" + (", .svg" if drawn else " (no plot: install gnuplot-nox)"))


def main():
    options = arguments()
    run = machine.describe() | {"command": shlex.join(["python3", "bench/run.py", *sys.argv[1:]])}
    built = build(options.build)
    samples = Samples()
    run_rounds(list(all_jobs(options, built, samples)), options.rounds)
    calls, counter = {}, None
    if options.only in (None, "green"):
        calls, counter = green_threads.count_mask_calls(built, options.steps)
    write(run, samples, calls, counter)


if __name__ == "__main__":
    main()
