# SPDX-License-Identifier: MIT
"""Runs real programs with and without the runtime and demands the same of both."""
import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import row as rows
from place import Place
from runtime import VARIANTS
from verify import Failure, verify

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="rows whose name contains one of these; default all")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the Meson build folder")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def chosen(options):
    for row in rows.read(options.build):
        if not options.names or any(name in row.name for name in options.names):
            yield row


def judge(row, place, library):
    if missing := row.missing():
        return "skipped", "not installed: " + ", ".join(Path(m).name for m in missing)
    try:
        return "passed", verify(row, place, library, VARIANTS)
    except Failure as failure:
        return "failed", str(failure)


def require(library):
    if not library.exists():
        sys.exit(f"{library.name} is not built: meson setup build && ninja -C build")
    if not shutil.which("strace"):
        sys.exit("strace counts the calls and is not installed: apt-get install strace")


def main():
    options = arguments()
    selected = list(chosen(options))
    if options.list:
        print("\n".join(row.name for row in selected))
        return 0
    library = options.build / "runtime" / "libsigzero.so"
    require(library)
    tally = Counter()
    with TemporaryDirectory(prefix="programs-") as root:
        for row in selected:
            result, note = judge(row, Place(root), library)
            tally[result] += 1
            print(f"{result:8}{row.name}: {note}", flush=True)
    print(f"{tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped")
    return 1 if tally["failed"] or not tally["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
