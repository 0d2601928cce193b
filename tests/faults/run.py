#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the signal system calls fail and demands that a program sees the same with the
runtime as without it: the same errors, and after them the same mask and dispositions."""
import argparse
import errno
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import variants  # noqa: E402

ACTION, MASK = 13, 14  # rt_sigaction, rt_sigprocmask on x86-64
SKIP = 77

# (system call, error, from when): `later` lets program and runtime start in peace and
# fails changes only, `changes` and `all` hold from the first instruction on.
FAULTS = [
    (call, error, when)
    for call in (MASK, ACTION)
    for error in (errno.EPERM, errno.ENOSYS, errno.EAGAIN)
    for when in ("later", "changes", "all")
]


def is_impossible(variant, when):
    """In mode check the runtime has to ask the kernel, which is what fails here."""
    return variant.mode == "check" and when == "all"


def command(tools, fault, env):
    call, error, when = fault
    observe = str(tools / "observe")
    if when == "later":
        return [observe, str(call), str(error)]
    # Only the program itself gets the runtime, not the launcher.
    ours = [f"{k}={v}" for k, v in env.items() if k.startswith(("LD_PRELOAD", "SIGZERO_"))]
    return [str(tools / "deny"), str(call), str(error), when, "env", *ours, observe]


def observe(tools, fault, variant, runtime):
    env = variants.environment(variant, runtime)
    outer = env if fault[2] == "later" else variants.environment(variants.PLAIN, runtime)
    done = subprocess.run(command(tools, fault, env), env=outer, capture_output=True,
                          timeout=20, start_new_session=True)
    lines = done.stdout.decode(errors="replace").splitlines()
    return done.returncode, lines + [f"exit {done.returncode}"], done.stderr.decode().strip()


def compare(plain, other):
    for i, (want, got) in enumerate(zip(plain, other)):
        if want != got:
            return f"line {i + 1}\n      plain: {want}\n      here:  {got}"
    return f"{len(other)} lines instead of {len(plain)}"


def main():
    build = HERE.parent.parent / "build"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=build)
    parser.add_argument("--runtime", type=Path)
    parser.add_argument("--variant", action="append", choices=list(variants.BY_NAME))
    args = parser.parse_args()
    runtime = args.runtime or args.build / "runtime" / "libsigzero.so"
    tools = args.build / "tests" / "faults"
    chosen = [variants.BY_NAME[name] for name in args.variant or variants.BY_NAME]
    failed = compared = 0
    for fault in FAULTS:
        code, plain, _ = observe(tools, fault, variants.PLAIN, runtime)
        if code == SKIP:
            print("no seccomp here")
            return SKIP
        for variant in chosen:
            if variant.mode is None or is_impossible(variant, fault[2]):
                continue
            _, other, stderr = observe(tools, fault, variant, runtime)
            compared += 1
            if other != plain:
                failed += 1
                call = "rt_sigprocmask" if fault[0] == MASK else "rt_sigaction"
                print(f"{call} fails by {errno.errorcode[fault[1]]}, {fault[2]}, "
                      f"[{variant.name}]: {compare(plain, other)}")
                if stderr:
                    print(f"      {stderr[:300]}")
    if failed:
        print(f"{compared} compared, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
