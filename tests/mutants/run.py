#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the tests: builds each mutant of the runtime and demands that a quick set of them
fails. The runtime as it is must pass the same set; what it does not pass is not counted."""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run as suite  # noqa: E402
import variants  # noqa: E402
from mutants import MUTANTS  # noqa: E402

suite.TIMEOUT = 10
SLOW = ("storm", "stress", "interrupted_state", "thread_timer", "nopie", "static", "context_handler")
COMPILE = ["cc", "-std=gnu11", "-D_FILE_OFFSET_BITS=64", "-O2", "-fPIC", "-fvisibility=hidden",
           f"-I{HERE.parent.parent / 'include'}", "-fexceptions", "-ftls-model=initial-exec", "-fno-stack-protector",
           "-U_FORTIFY_SOURCE", "-w", "-c"]
LINK = ["cc", "-shared", "-Wl,-soname,libsigzero.so.1",
        "-Wl,-z,relro,-z,now,-z,noexecstack,--no-undefined,-z,start-stop-visibility=hidden"]


class Build:
    """A copy of the runtime's sources; what has not changed is compiled once."""

    def __init__(self, source, folder):
        self.root = folder / "runtime"
        shutil.copytree(source, self.root)
        names = re.findall(r"'([\w/]+\.[cS])'", (source / "meson.build").read_text())
        self.sources = [self.root / self.locate(name) for name in names]
        self.objects = folder / "objects"
        self.objects.mkdir()
        self.compile(self.sources, self.objects)

    def locate(self, name):
        return name if (self.root / name).exists() else Path("x86_64") / name

    def object_of(self, source, folder):
        return folder / (str(source.relative_to(self.root)).replace("/", "_") + ".o")

    def compile(self, sources, folder):
        def one(source):
            subprocess.run([*COMPILE, str(source), "-o", str(self.object_of(source, folder))],
                           check=True)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(one, sources))

    def link(self, folder, library):
        objects = [self.object_of(s, folder) for s in self.sources]
        objects = [o if o.exists() else self.objects / o.name for o in objects]
        script = f"-Wl,--version-script={self.root / 'libsigzero.map'}"
        subprocess.run([*LINK, script, *map(str, objects), "-o", str(library)], check=True)
        return library

    def mutant(self, mutant, folder):
        file = self.root / mutant.file
        original = file.read_text()
        if original.count(mutant.old) == 0:
            raise LookupError(f"does not apply: the text is not in {mutant.file}")
        try:
            file.write_text(original.replace(mutant.old, mutant.new))
            changed = [file] if file in self.sources else self.sources
            self.compile(changed, folder)
            return self.link(folder, folder / "libsigzero.so")
        finally:
            file.write_text(original)


def quick_set(build):
    """(name, executable) of the behaviours that take no seconds."""
    return [(name, executable) for name, executable in suite.behaviours(build)
            if not any(word in name for word in SLOW)]


def failing_behaviours(build, runtime, enough, unsound):
    """The quick set in modes shadow, check and lazy, until `enough` have failed."""
    failed = []
    chosen = [variants.BY_NAME[name] for name in ("shadow", "check", "lazy-hot")]

    def one(job):
        variant, (name, executable) = job
        if len(failed) >= enough or f"{name} [{variant.name}]" in unsound:
            return
        result = suite.run_behaviour(name, executable, variant, runtime)
        if result.state == "FAIL":
            failed.append(result.name)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, [(v, test) for v in chosen for test in quick_set(build)]))
    return failed


def script_fails(script, build, runtime, *more):
    command = [sys.executable, str(HERE.parent / script), "--build", str(build), "--runtime",
               str(runtime), "--variant", "shadow", "--variant", "check", *more]
    return subprocess.run(command, capture_output=True).returncode != 0


def caught_by(build, runtime, seconds, enough, unsound=()):
    found = failing_behaviours(build, runtime, enough, unsound)
    if found and enough == 1:
        return found[:1]
    if "faults" not in unsound and script_fails("faults/run.py", build, runtime):
        found.append("faults")
        if enough == 1:
            return found
    if "random" not in unsound and script_fails(
            "random/run.py", build, runtime, "--seed", "1", "--steps", "100",
            "--seconds", str(seconds), "--minimise-seconds", "0"):
        found.append("random")
    return found


def arguments():
    root = HERE.parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=root / "build", help="with the tests built")
    parser.add_argument("--source", type=Path, default=root / "runtime")
    parser.add_argument("--seconds", type=int, default=8, help="for the random tester")
    parser.add_argument("--all", action="store_true", help="name everything that fails")
    parser.add_argument("pattern", nargs="*")
    return parser.parse_args()


def passes(build, runtime, name):
    """The behaviour of this name, in the mode it is called with."""
    executables = dict(quick_set(build))
    behaviour, variant = re.fullmatch(r"(.*) \[(.*)\]", name).groups()
    result = suite.run_behaviour(behaviour, executables[behaviour],
                                 variants.BY_NAME[variant], runtime)
    return result.state != "FAIL"


def judge(builder, mutant, folder, args, unsound, sound):
    folder.mkdir()
    try:
        runtime = builder.mutant(mutant, folder)
    except (LookupError, subprocess.CalledProcessError) as error:
        return "FAIL", str(error)
    unsound = set(unsound)
    while True:
        found = caught_by(args.build, runtime, args.seconds, 10**6 if args.all else 1, unsound)
        # What the machine does may fail a test too; then it fails without the mutant.
        innocent = [name for name in found
                    if name.endswith("]") and not passes(args.build, sound, name)]
        found = [name for name in found if name not in innocent]
        if found:
            return "ok", f"caught by {', '.join(found)}"
        if not innocent:
            return "FAIL", "nothing noticed it"
        unsound.update(innocent)


def main():
    args = arguments()
    chosen = [m for m in MUTANTS if not args.pattern or any(p in m.name for p in args.pattern)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sigzero-mutants-") as name:
        folder = Path(name)
        builder = Build(args.source, folder)
        sound = builder.link(builder.objects, folder / "libsigzero.so")
        # A test that fails without a mutant proves nothing about one.
        unsound = caught_by(args.build, sound, args.seconds, 10**6)
        if unsound:
            failed += 1
            print(f"FAIL the runtime as it is: {', '.join(unsound)}", flush=True)
        for i, mutant in enumerate(chosen):
            state, detail = judge(builder, mutant, folder / str(i), args, unsound, sound)
            failed += state == "FAIL"
            print(f"{state:4} {mutant.name}: {detail}", flush=True)
    print(f"{len(chosen) + bool(unsound) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
