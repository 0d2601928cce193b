# SPDX-License-Identifier: MIT
"""What the author of FreeBSD's sigfastblock(2) showed (D12773), his figures beside ours: the
system calls of lazy binding, and that getppid and a build, which have nothing to win, lose nothing.
"""
import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from statistics import median

import machine
from build import ROOT, build
from commands import environment, output
from compared import compare, counted
from report import table
from run import RESULTS

CASES = ("getppid()", "syscall(SYS_getppid)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10, help="pairs of builds (default 10)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of getppid (default 15)")
    parser.add_argument("--files", type=int, default=300, help="files of the C project (default 300)")
    parser.add_argument("--build", default=ROOT / "build", help="the Meson build folder")
    return parser.parse_args()


SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node_{n} {{ struct node_{n} *left, *right; long key; char text[24]; }};

static struct node_{n} *insert(struct node_{n} *root, long key)
{{
	if (!root) {{
		root = calloc(1, sizeof *root);
		root->key = key;
		snprintf(root->text, sizeof root->text, "%ld", key * {n});
	}} else if (key < root->key) {{
		root->left = insert(root->left, key);
	}} else {{
		root->right = insert(root->right, key);
	}}
	return root;
}}

static size_t length(const struct node_{n} *root)
{{
	return root ? length(root->left) + strlen(root->text) + length(root->right) : 0;
}}

size_t work_{n}(long count)
{{
	struct node_{n} *root = NULL;

	for (long i = 0; i < count; i++)
		root = insert(root, i * {n} % 1009);
	return length(root);
}}
"""

MAKEFILE = """\
O := $(patsubst %.c,%.o,$(wildcard *.c))
project: $(O)
	$(CC) -o $@ $(O)
%.o: %.c
	$(CC) -O2 -g -c -o $@ $<
"""


def lay_out(folder, files):
    for n in range(1, files + 1):
        (folder / f"work_{n}.c").write_text(SOURCE.format(n=n), encoding="utf-8")
    calls = "\n".join(f"size_t work_{n}(long);" for n in range(1, files + 1))
    total = " + ".join(f"work_{n}(9)" for n in range(1, files + 1))
    main_text = f"#include <stdio.h>\n{calls}\nint main(void)\n{{\n\tprintf(\"%zu\\n\", {total});\n\treturn 0;\n}}\n"
    (folder / "main.c").write_text(main_text, encoding="utf-8")
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")


def builds(built, options):
    with tempfile.TemporaryDirectory(prefix="sigzero-build-") as folder:
        lay_out(Path(folder), options.files)
        for name, follow in (("make alone is treated", ()), ("make and all its children", ("*",))):
            report = compare(built, ["make", "-s", "-B", "-j2"], folder, options.pairs, follow)
            yield name, report


def binder_calls(built, way):
    """All system calls of examples/lazy_binder.c, whose symbols are bound in sections or masks."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as report:
        subprocess.run(["strace", "-f", "-c", "-U", "calls,name", "-o", report.name,
                        str(built.program("lazy_binder")), way],
                       env=environment(), capture_output=True, check=True)
        return int(re.search(r"^\s*(\d+)\s+total$", report.read(), re.MULTILINE)[1])


def binder_lines(built):
    yield ["FreeBSD, truss ./hello", "", "63 lines", "37 lines", f"{37 / 63:.3f}"]
    masks, sections = (binder_calls(built, way) for way in ("mask", "section"))
    yield ["Linux, 10,000 symbols bound", "", f"{masks:,} calls", f"{sections:,} calls", f"{sections / masks:.3f}"]


def getppid(built, rounds):
    """ns a call by case: (without, with) of each round."""
    program = [str(built.program("jumps"))]
    found = {case: [] for case in CASES}
    for number in range(rounds):
        sides = [(0, None), (1, built.runtime)]
        times = {}
        for side, runtime in sides if number % 2 else reversed(sides):
            for line in output(program, runtime).splitlines():
                name, ns, *_ = line.split("\t")
                times[side, name] = float(ns)
        for case in CASES:
            found[case].append((times[0, case], times[1, case]))
    return found


def getppid_lines(found):
    yield ["FreeBSD, getppid", "", "350 ns", "346 ns", "0.989"]
    for case, rounds in found.items():
        ratio = median(b / a for a, b in rounds)
        before, after = median(a for a, _ in rounds), median(b for _, b in rounds)
        yield [f"Linux, {case}", "", f"{before:.1f} ns", f"{after:.1f} ns", f"{ratio:.3f}"]


def span(summary):
    return f"{summary['min_s']:.2f}–{summary['max_s']:.2f} s"


def build_lines(reports):
    yield ["FreeBSD, buildworld", "", "2927–3033 s", "2935–2998 s", ""]
    for name, report in reports:
        wall, ratio = report["wall"], report["wall"]["ratio"]
        before, after = counted(report, "rt_sigprocmask", "rt_sigaction")
        yield [f"Linux, make -j2, {name}", f"{before:,} → {after:,}", span(wall["without"]), span(wall["with"]),
               f"{1 / ratio['median']:.3f} ({1 / ratio['high']:.3f} to {1 / ratio['low']:.3f})"]


def main():
    options = arguments()
    run = machine.describe() | {"command": shlex.join(["python3", "bench/freebsd.py", *sys.argv[1:]])}
    built = build(options.build)
    header = ["what", "mask + act", "without", "with", "with : without"]
    lines = [*binder_lines(built), *getppid_lines(getppid(built, options.rounds)), *build_lines(builds(built, options))]
    text = "\n".join([*(f"{key}: {value}" for key, value in run.items()), "", *table(header, lines)]) + "\n"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / datetime.now().strftime("freebsd-%Y%m%d-%H%M%S.txt")).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
