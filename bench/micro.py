# SPDX-License-Identifier: MIT
"""Programs that time their own cases and print them, in ns an operation."""
from commands import PLAIN, TREATED, output
from samples import Series

PEER = "peer"
LINKED = "linked"  # with libsigzero in the program itself
PROGRAMS = [  # group, program, variants
    ("jumps and masks", "jumps", (PLAIN, TREATED)),
    ("masks", "masks", (PLAIN, TREATED)),
    ("sections", "sections", (LINKED,)),
    ("threads", "scaling", (PLAIN, TREATED)),
    ("threads", "scaling_sections", (LINKED,)),
    ("decoder, a message", "decoder", (PLAIN, TREATED)),
    ("context switch", "switch_ucontext", (PLAIN, TREATED)),
    ("context switch", "switch_pth", (PLAIN, TREATED)),
    ("context switch", "switch_fcontext", (PEER,)),
    ("context switch", "switch_st", (PEER,)),
    ("context switch", "switch-corosensei", (PEER,)),
]


def jobs(built, samples):
    for group, program, variants in PROGRAMS:
        path = built.corosensei if program == built.corosensei.name else built.program(program)
        if not path.exists():
            samples.miss(Series(group, program, variants[0]), "not built: see packages.txt")
            continue
        for variant in variants:
            runtime = built.runtime if variant == TREATED else None
            yield job(samples, group, variant, [str(path)], runtime)


def job(samples, group, variant, command, runtime):
    def run(round_number):
        for line in output(command, runtime).splitlines():
            name, ns, *_ = line.split("\t")
            samples.add(Series(group, name, variant), round_number, float(ns))
    return run
