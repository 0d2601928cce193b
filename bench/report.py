# SPDX-License-Identifier: MIT
"""The run as text and as JSON."""
from commands import TREATED
from targets import MASK_CALLS_LIMIT, rows

NOT_SHOWN = """\
What this does not show
- what a real program gains: that is for `sigzero compare` on the program itself;
- other processors, kernels, C libraries, or a machine with mitigations set otherwise;
- cold caches, more than one thread, or signals that really arrive;
- like with like among the switches: only swapcontext and GNU Pth keep the signal mask."""


def table(header, lines):
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    for line in [header, ["-" * w for w in widths], *lines]:
        first, *others = (cell.ljust(w) if i < 2 else cell.rjust(w)
                          for i, (cell, w) in enumerate(zip(line, widths)))
        yield "  ".join([first, *others]).rstrip()


def number(value):
    return f"{value:#.3g}" if value < 100 else f"{value:,.0f}"


def measured_lines(samples, group):
    for series in (s for s in samples.by_series if s.group == group):
        values = samples.values(series)
        yield [series.name, series.variant, number(samples.median(series)),
               number(min(values)), number(max(values)), str(len(values))]


def measured(samples):
    for group in dict.fromkeys(s.group for s in samples.by_series):
        unit = "s" if group in ("mask loop", "green threads") else "ns"
        yield ""
        yield f"{group} ({unit})"
        yield from table(["case", "with", "median", "least", "most", "rounds"],
                         list(measured_lines(samples, group)))
    for series, reason in samples.missing.items():
        yield f"not measured: {series.name}, {series.variant}: {reason}"


def verdict(ok):
    return "met" if ok else "NOT met"


def target_lines(samples, calls):
    for target, ratio in rows(samples):
        bound = f"{'at least' if target.at_least else 'at most'} {target.limit:g}"
        if ratio is None:
            yield [target.text, bound, "-", "-", "not measured"]
        else:
            yield [target.text, bound, number(ratio.median),
                   f"{number(ratio.low)} to {number(ratio.high)}", verdict(target.met(ratio.median))]
    if calls:
        yield ["green threads: rt_sigprocmask under sigzero", f"at most {MASK_CALLS_LIMIT}",
               str(calls[TREATED]), "-", verdict(calls[TREATED] <= MASK_CALLS_LIMIT)]


def text(run, samples, calls, counter):
    lines = ["sigzero bench", ""]
    lines += [f"{key}: {value}" for key, value in run.items()]
    lines += measured(samples)
    if calls:
        lines += ["", f"green threads, rt_sigprocmask counted by {counter}: "
                  + ", ".join(f"{count:,} with {variant}" for variant, count in calls.items())]
    lines += ["", "Targets (ratio within each round, median of the rounds)"]
    lines += table(["what", "target", "measured", "spread", ""], list(target_lines(samples, calls)))
    lines += ["", NOT_SHOWN]
    return "\n".join(lines) + "\n"


def data(run, samples, calls, counter):
    return {
        "run": run,
        "samples": [{"group": s.group, "name": s.name, "variant": s.variant,
                     "median": samples.median(s), "rounds": list(by_round.values())}
                    for s, by_round in samples.by_series.items()],
        "missing": [{"group": s.group, "name": s.name, "variant": s.variant, "reason": reason}
                    for s, reason in samples.missing.items()],
        "green_threads_mask_calls": {"counter": counter, **calls},
        "targets": [{"text": t.text, "limit": t.limit, "at_least": t.at_least,
                     "measured": r and r.median, "low": r and r.low, "high": r and r.high,
                     "met": r and t.met(r.median)} for t, r in rows(samples)],
    }
