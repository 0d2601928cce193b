#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into an empty folder and builds programs against what is there: by pkg-config and
by CMake, in C and C++, with the library and with the archive."""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from booted import unit
from tools import HERE, ROOT, Skip, need, run

EXPECTED = "inside 0, outside 1\n"
STRICT = ["-O2", "-Wall", "-Wextra", "-Werror", "-pedantic-errors"]


EXAMPLES = [
    ("section.c", ["200000"], "no step was lost: yes"),
    ("section_allocator.c", ["20000"], "4096 blocks of 4096 are left, 0 were handed out twice"),
    ("section_logger.c", ["20000"], "a line from main"),
    ("section_scope.c", [], "outside of a section: yes"),
    ("section_scope.cpp", [], "900 from main, 1000 from signals, 100 thrown"),
    ("section_pending.c", [], "pauses of one long job"),
    ("sigfastblock.c", ["200000"], "by a word; no step was lost: yes"),
]


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "SIGZERO_"))}


def expect(program, lib):
    got = run(program, env=clean_environment() | {"LD_LIBRARY_PATH": str(lib)})
    if got != EXPECTED:
        raise RuntimeError(f"{program.name} printed {got!r}, expected {EXPECTED!r}")


class Installed:
    def __init__(self, build, folder):
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", folder)
        self.folder = folder
        self.lib = next(folder.rglob("libsigzero.a")).parent
        self.environment = clean_environment() | {"PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}

    def flags(self, *asked):
        need("pkg-config")
        return run("pkg-config", *asked, env=self.environment).split()

    def compile(self, compiler, standard, source, module, *more):
        need(compiler)
        program = self.folder / f"{source.replace('.', '_')}-{module}-{standard}"
        run(compiler, *STRICT, f"-std={standard}", *more, HERE / source, "-o", program,
            *self.flags("--cflags", "--libs", module))
        expect(program, self.lib)


def c_shared(installed):
    for standard in ("gnu11", "gnu17"):
        installed.compile("cc", standard, "consumer.c", "sigzero", "-D_GNU_SOURCE")


def c_static(installed):
    installed.compile("cc", "gnu11", "consumer.c", "sigzero-static")


def strict_c11(installed):
    installed.compile("cc", "c11", "consumer.c", "sigzero", "-D_GNU_SOURCE")


def cpp_shared(installed):
    for standard in ("c++11", "c++20"):
        installed.compile("c++", standard, "consumer.cpp", "sigzero")


def cpp_static(installed):
    installed.compile("c++", "c++11", "consumer.cpp", "sigzero-static")


def clang(installed):
    installed.compile("clang", "c11", "consumer.c", "sigzero", "-D_GNU_SOURCE")


def without_optimization(installed):
    installed.compile("cc", "gnu99", "consumer.c", "sigzero", "-O0")


def freebsd(installed):
    folder = installed.flags("--variable=freebsd_includedir", "sigzero")[0]
    installed.compile("cc", "gnu11", "freebsd.c", "sigzero", "-I", folder)


def cmake(installed):
    need("cmake")
    build = installed.folder / "cmake-build"
    run("cmake", "-S", HERE, "-B", build, f"-Dsigzero_DIR={installed.lib / 'cmake/sigzero'}",
        env=installed.environment)
    run("cmake", "--build", build, env=installed.environment)
    for name in ("c_shared", "c_static", "cpp_shared", "cpp_static", "freebsd"):
        expect(build / name, installed.lib)


def build_line(source):
    line = next(line for line in source.read_text().splitlines() if line.startswith("// Build:"))
    return line.removeprefix("// Build:").strip()


def build_example(installed, name):
    """By the line on top of it, as a reader would."""
    source = ROOT / "examples" / name
    words = build_line(source).split()
    program = installed.folder / words[words.index("-o") + 1]
    run("sh", "-ec", f"cd {ROOT} && {build_line(source)}".replace(f"-o {program.name}",
                                                                  f"-Wall -Werror -o {program}"),
        env=installed.environment)
    return program


def expect_example(installed, name, arguments, expected):
    need("pkg-config")
    need("c++")
    program = build_example(installed, name)
    got = run(program, *arguments,
              env=clean_environment() | {"LD_LIBRARY_PATH": str(installed.lib)})
    if expected not in got:
        raise RuntimeError(f"{program.name} printed {got!r}, expected {expected!r}")
    return program


def examples(installed):
    for name, arguments, expected in EXAMPLES:
        expect_example(installed, name, arguments, expected)


def calls(installed, program, *arguments):
    need("strace")
    report = installed.folder / "strace"
    run("strace", "-f", "-c", "-U", "calls,name", "-o", report, program, *arguments,
        env=clean_environment() | {"LD_LIBRARY_PATH": str(installed.lib)})
    counted = dict(reversed(line.split()) for line in report.read_text().splitlines()
                   if line.split()[0].isdigit())
    return int(counted["rt_sigprocmask"]), int(counted["total"]) - int(counted.get("rt_sigreturn", 0))


def lazy_binder(installed):
    """FreeBSD's story: two sigprocmask a symbol, or none. Signals cost calls of their own, and
    there are more of them under strace: the limit allows for that."""
    program = expect_example(installed, "lazy_binder.c", ["section"], "each bound once: yes")
    mask, total_by_mask = calls(installed, program, "mask")
    section, total_by_section = calls(installed, program, "section")
    if mask < 20000 or section > 2000 or 2 * total_by_section > total_by_mask:
        raise RuntimeError(f"mask {mask} of {total_by_mask}, section {section} of {total_by_section}")


def fully_static_is_refused(installed):
    need("cc")
    program = installed.folder / "fully_static"
    run("cc", "-static", HERE / "consumer.c", "-o", program,
        *installed.flags("--cflags", "--libs", "sigzero-static"))
    done = subprocess.run([program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 127 or "-static" not in done.stderr:
        raise RuntimeError(f"status {done.returncode}, said {done.stderr!r}")


def only_public_names(installed):
    """Beyond libc's names the library exports what sigzero.h declares, and no more."""
    need("readelf")
    library = installed.lib / "libsigzero.so"
    names = {line.split()[-1].split("@")[0]
             for line in run("readelf", "--dyn-syms", "-W", library).splitlines()
             if "SIGZERO_1" in line} - {"SIGZERO_1"}
    header = (ROOT / "include/sigzero.h").read_text()
    missing = [name for name in names if name not in header]
    if missing or len(names) != 10:
        raise RuntimeError(f"exported: {sorted(names)}; not in the header: {missing}")
    if any(" sz_" in line for line in run("nm", "-D", library).splitlines()):
        raise RuntimeError("a private name is exported")


def manual_pages(installed):
    need("man")
    for page in sorted((ROOT / "docs/man").glob("*.3")):
        text = page.read_text()
        said = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if not text.startswith(".so ") and (said.returncode or said.stderr):
            raise RuntimeError(f"{page.name}: {said.stderr}")
    header = (ROOT / "include/sigzero.h").read_text()
    for name in ("sigzero_block", "sigzero_unblock", "sigzero_blocked", "sigzero_pending",
                 "sigfastblock"):
        if f"{name}(" not in header or not list(installed.folder.rglob(f"{name}.3*")):
            raise RuntimeError(f"{name} is not declared, or has no manual page")


def make_installs_the_same(installed):
    """The Makefile, which is what users run, leaves the same files."""
    if not (ROOT / "target/release/sigzero").exists():
        raise Skip("the command line is not built")
    folder = installed.folder / "by-make"
    run("make", "-C", ROOT, "install", f"BUILD={installed.build}", f"DESTDIR={folder}",
        "PREFIX=/usr")
    have = {path.name for path in (folder / "usr").rglob("*") if not path.is_dir()}
    want = {path.name for path in installed.folder.rglob("*")
            if not path.is_dir() and installed.lib.parent in path.parents
            and "by-make" not in path.parts}
    want |= {"sigzero.h", "signalvar.h", "sigzero_block.3"}
    if want - have:
        raise RuntimeError(f"not installed by make: {sorted(want - have)}")
    environment = clean_environment() | {"PKG_CONFIG_PATH": str(folder / "usr/lib/pkgconfig")}
    program = folder / "consumer"
    run("cc", HERE / "consumer.c", "-o", program,
        *run("pkg-config", "--cflags", "--libs", "sigzero", env=environment).split())
    expect(program, folder / "usr/lib")


TESTS = [c_shared, c_static, strict_c11, cpp_shared, cpp_static, clang, without_optimization, freebsd,
         examples, lazy_binder, cmake, fully_static_is_refused, only_public_names, manual_pages, make_installs_the_same,
         unit]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("pattern", nargs="*")
    args = parser.parse_args()
    counts = {"ok": 0, "FAIL": 0, "skip": 0}
    with tempfile.TemporaryDirectory(prefix="sigzero-install-") as folder:
        installed = Installed(args.build.resolve(), Path(folder))
        installed.build = args.build.resolve()
        for test in TESTS:
            if args.pattern and not any(word in test.__name__ for word in args.pattern):
                continue
            try:
                test(installed)
                state, detail = "ok", ""
            except Skip as why:
                state, detail = "skip", f": {why}"
            except (RuntimeError, OSError) as error:
                state, detail = "FAIL", f": {error}"
            counts[state] += 1
            print(f"{state:4} install {test.__name__}{detail}")
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    return 1 if counts["FAIL"] else 0


sys.exit(main())
