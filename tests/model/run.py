#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has spin look at every order of events in the models beside this file. What is sound must have
no counterexample; each broken protocol must have one, or the model would prove nothing; and so
must each limit that docs/model.md names."""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAFETY = ["-DSAFETY", "-DHC4"]
LIVENESS = ["-DCOLLAPSE"]
TIMEOUT = 900
TRAIL_LINES = 60


@dataclass
class Run:
    title: str
    model: str
    switches: str = ""
    sound: bool = True
    progress: bool = False
    deep: bool = False

    @property
    def defines(self):
        return [f"-D{switch}" for switch in self.switches.split()]


def broken(switch, model, switches, title):
    return Run(f"{switch}: {title}", model, f"{switch} {switches}", sound=False)


def limit(model, switches, title):
    return Run(f"limit: {title}", model, switches, sound=False)


TWO = "SECTIONS JUMPS"
THREE = "SECTIONS JUMPS OPERATIONS=1 SENDS=3 DEPTH=5"

RUNS = [
    Run("two operations, two signals", "mask.pml", TWO),
    Run("the same, and a handler with SA_NODEFER", "mask.pml", TWO + " NODEFER"),
    Run("one operation, three signals", "mask.pml", THREE),
    broken("BREAK_LAZY_RESTART", "mask.pml", TWO, "sz_mask_lazy goes on where it was interrupted"),
    broken("BREAK_LAZY_OPENS", "mask.pml", TWO, "what K blocks is opened in V alone"),
    broken("BREAK_CALL_RESTART", "mask.pml", TWO, "sz_mask_call goes on with the V it read"),
    broken("BREAK_COMMIT_REPAIR", "mask.pml", TWO, "the kernel's change is not noted by the arrival"),
    broken("BREAK_V_FIRST", "mask.pml", TWO, "V is written before the kernel is called"),
    broken("BREAK_BELOW", "mask.pml", TWO, "an arrival does not finish those below"),
    broken("BREAK_VIEW", "mask.pml", TWO, "uc_sigmask stays the kernel's"),
    broken("BREAK_VIEW_OF_WRAPPER", "mask.pml", TWO, "the view is computed from a wrapper's K"),
    broken("BREAK_EXIT", "mask.pml", TWO, "the kernel gets uc_sigmask, K says otherwise"),
    broken("BREAK_LEFT", "mask.pml", TWO, "what the handler left is not kept while it returns"),
    broken("BREAK_SEND", "mask.pml", TWO, "a signal is held back and not sent again"),
    broken("BREAK_PROMOTE", "mask.pml", TWO, "a signal is sent again and not blocked"),
    broken("BREAK_HELD_BACK", "mask.pml", TWO, "to be held back changes V"),
    broken("BREAK_AFTER", "mask.pml", TWO, "what a handler on top edited is forgotten"),
    broken("BREAK_CHAIN", "mask.pml", TWO, "a handler runs before those below are sent again"),
    broken("BREAK_SPECIAL", "mask.pml", THREE, "what wrappers below block stays blocked"),
    broken("BREAK_PEND", "mask.pml", TWO, "a section holds a signal and PEND is not set"),
    broken("BREAK_COPY", "mask.pml", TWO, "a section is left in the wrong order"),
    Run("two operations, three signals", "mask.pml", "SECTIONS JUMPS SENDS=3 DEPTH=5", deep=True),
    Run("two threads block lazily", "threads.pml", "TURNS=4 SENDS=3"),
    Run("a third has it open", "threads.pml", "OPEN"),
    Run("however often they block, it is delivered", "threads.pml", "OPEN FOREVER SENDS=1 LIMIT=3",
        progress=True),
    broken("BREAK_SEND", "threads.pml", "", "a signal is held back and not sent again"),
    broken("BREAK_PROMOTE", "threads.pml", "OPEN", "a signal is sent again and not blocked"),
    Run("without a limit to promotions it may hop for ever", "threads.pml",
        "OPEN FOREVER SENDS=1", sound=False, progress=True),
    limit("threads.pml", "PROMPT", "who unblocks it while it hops gets it later"),
    limit("threads.pml", "EXACTLY", "one on its way is not merged with another"),
    Run("two changes, and who looks", "guard.pml"),
    Run("three changes", "guard.pml", "CHANGES=3 LOOKS=0 FEW"),
    Run("two put a guard over the same", "guard.pml", "CHANGES=0 COVER"),
    Run("by who is alone, one of two never ends", "guard.pml", "ALONE ABANDON LOOKS=1"),
    limit("guard.pml", "ABANDON LOOKS=0", "a change that never ends, while another does"),
    limit("guard.pml", "CHANGES=1 COVER", "a guard is put over what just changes"),
    broken("BREAK_PUTTING", "guard.pml", "CHANGES=0 COVER", "two put the same guard in at a time"),
    broken("BREAK_RETIRE_KNOWN", "guard.pml", "", "a guard is retired only after the kernel's change"),
]


def verify(run, folder):
    """The verdict of spin: the assertion that fails, None if none does, or an exception."""
    (folder / "model.pml").write_text((HERE / run.model).read_text())

    def must(*command):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        if done.returncode:
            raise RuntimeError(f"{done.stdout}{done.stderr}status {done.returncode}")
        return done.stdout

    must("spin", "-a", *run.defines, "model.pml")
    # Most are found at once: what counts is how long the compiler takes.
    must("cc", "-O2" if run.deep else "-O0", "-w", f"-DMEMLIM={9000 if run.deep else 1900}",
         *(LIVENESS if run.progress else SAFETY), "-o", "pan", "pan.c")
    text = must("./pan", "-m100000", "-w28" if run.deep else "-w24",
                *(["-a", "-f"] if run.progress else []))
    errors = re.search(r"errors: (\d+)", text)
    if not errors:
        raise RuntimeError(text)
    found = re.search(r"^pan:1: (.*) \(at depth", text, re.MULTILINE)
    if int(errors[1]):
        if not found or "end state" in found[1]:
            raise RuntimeError(text)
        return found[1]
    if re.search(r"MEMLIM bound|max search depth too small|not completed", text):
        raise RuntimeError("not all was looked at\n" + text)
    return None


def counterexample(run, folder):
    """Its end, with the labels' names in place of the model's numbers."""
    names = dict((number, name) for name, number in re.findall(
        r"^#define (\w+) (\d+)$", (folder / "model.pml").read_text(), re.MULTILINE)
        if int(number) > 9 or name in ("PROGRAM", "MASK_FUNCTION"))
    text = subprocess.run(["spin", "-t", *([] if "printf" not in (HERE / run.model).read_text()
                                           else ["-T", "-B"]), *run.defines, "model.pml"],
                          cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout
    lines = [re.sub(r"\b(at|then) (\d+)\b", lambda m: f"{m[1]} {names.get(m[2], m[2])}", line)
             for line in text.splitlines()]
    return "\n".join(lines[-TRAIL_LINES:])


def judge(run):
    with tempfile.TemporaryDirectory(prefix="sigzero-model-") as name:
        folder = Path(name)
        try:
            found = verify(run, folder)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return "FAIL", str(error)
        if run.sound and found:
            return "FAIL", f"{found}\n{counterexample(run, folder)}"
        if not run.sound and not found:
            return "FAIL", "no counterexample"
        return "ok", found or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deep", action="store_true", help="minutes and gigabytes more")
    parser.add_argument("--trail", action="store_true", help="show the counterexamples")
    parser.add_argument("pattern", nargs="*", help="titles or models")
    args = parser.parse_args()
    chosen = [run for run in RUNS if (args.deep or not run.deep) and
              (not args.pattern or any(p in f"{run.model} {run.title}" for p in args.pattern))]
    if not shutil.which("spin"):
        print(f"skip model: spin is not installed\n0 passed, 0 failed, {len(chosen)} skipped")
        return 0
    if args.trail:
        for run in chosen:
            run.sound = True
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for run, (state, detail) in zip(chosen, pool.map(judge, chosen)):
            failed += state == "FAIL"
            print(f"{state:4} {run.model}: {run.title}", flush=True)
            if state == "FAIL":
                print(detail, flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
