# SPDX-License-Identifier: MIT
"""What real programs gain: each under `sigzero compare`, next to what was promised."""
import argparse
import json
import shlex
import shutil
import sys
import tempfile
import tomllib
from datetime import datetime
from pathlib import Path

import machine
from build import ROOT, build
from compared import compare, counted, saved
from report import table
from run import RESULTS

TABLE = Path(__file__).with_name("programs.toml")
HEADER = ["program", "", "mask + act", "s without", "s with", "time saved", "95 %", "promised", "verdict"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs whose name contains one of these")
    parser.add_argument("--pairs", type=int, default=20, help="pairs of runs of each (default 20)")
    parser.add_argument("--build", default=ROOT / "build", help="the Meson build folder")
    return parser.parse_args()


def chosen(names):
    for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["program"]:
        if not names or any(name in row["name"] for name in names):
            yield row


def measure(built, row, pairs):
    with tempfile.TemporaryDirectory(prefix="sigzero-bench-") as folder:
        for file, text in row.get("files", {}).items():
            (Path(folder) / file).write_text(text.lstrip("\n"), encoding="utf-8")
        return compare(built, row["command"], folder, pairs)


def verdict(row, report):
    """A promise is kept by the median; slower is only what is surely slower."""
    if report["verdict"]["kind"] == "different_behaviour":
        return "DIFFERENT OUTPUT"
    least, median, most = saved(report)
    promised = row.get("saves")
    if promised is not None:
        return "met" if median >= promised else "NOT met"
    return "SLOWER" if most < 0 and report["verdict"]["kind"] == "slower" else "not slower"


def line(row, report):
    before, after = counted(report, "rt_sigprocmask", "rt_sigaction")
    least, median, most = saved(report)
    wall = report["wall"]
    same = {True: "", None: "output varies", False: "!"}[report["verdict"]["same_behaviour"]]
    return [row["name"], same, f"{before:,} → {after:,}", f"{wall['without']['median_s']:.3f}",
            f"{wall['with']['median_s']:.3f}", f"{median:.1%}", f"{least:.1%} to {most:.1%}",
            f"{row['saves']:.0%}" if "saves" in row else "", verdict(row, report)]


def main():
    options = arguments()
    run = machine.describe() | {"command": shlex.join(["python3", "bench/programs.py", *sys.argv[1:]])}
    built = build(options.build)
    lines, reports = [], {}
    for row in chosen(options.names):
        if not shutil.which(row["command"][0]):
            print(f"left out, not installed: {row['name']}", file=sys.stderr)
            continue
        reports[row["name"]] = measure(built, row, options.pairs)
        lines.append(line(row, reports[row["name"]]))
        print("  ".join(lines[-1]), file=sys.stderr, flush=True)
    write(run, lines, reports)


def write(run, lines, reports):
    text = "\n".join([*(f"{key}: {value}" for key, value in run.items()), "", *table(HEADER, lines)]) + "\n"
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / datetime.now().strftime("programs-%Y%m%d-%H%M%S")
    stem.with_suffix(".txt").write_text(text, encoding="utf-8")
    stem.with_suffix(".json").write_text(json.dumps({"run": run, "reports": reports}, indent=1) + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
