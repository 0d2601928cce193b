# SPDX-License-Identifier: MIT
"""What is demanded of one row; each function raises Failure with what it saw."""
import counters
from count import SIGNAL_CALLS, count
from outcome import run
from runtime import SHADOW, SHADOW_CHILDREN, WATCH_CHILDREN, plain_environment, settings


class Failure(Exception):
    pass


def run_once(row, place, library, variant=None):
    place.make_fresh(row)
    env = plain_environment(place.home)
    if variant:
        env |= settings(variant, library, place.counters)
    return run(row.command, place.home, row.stdin(), env)


def same_outcome(row, place, library, variants):
    plain = run_once(row, place, library)
    if difference := plain.difference(run_once(row, place, library)):
        raise Failure(f"two plain runs differ, so nothing can be compared: {difference}")
    for variant in variants:
        if variant.follow and not row.follow:
            continue
        if difference := plain.difference(run_once(row, place, library, variant)):
            raise Failure(f"{variant.name}: {difference}")
        if variant.mode == "watch" and not list(place.counters.iterdir()):
            raise Failure("watch: no counter file was left")


def count_once(row, place, library, variant=None, calls=SIGNAL_CALLS):
    place.make_fresh(row)
    extra = settings(variant, library, place.counters) if variant else {}
    return count(row.command, place.home, row.stdin(), plain_environment(place.home), extra, calls)


def call_limits(row, place, library):
    """Returns the counts as a line for the reader."""
    plain = count_once(row, place, library)
    shadow = count_once(row, place, library, SHADOW)
    for name, (least, most) in row.plain.items():
        if not least <= plain[name] <= most:
            raise Failure(f"{plain[name]} {name} without the runtime, expected {least} to {most}")
    for name, most in row.limit.items():
        if shadow[name] > most:
            raise Failure(f"{shadow[name]} {name} in mode shadow, at most {most} allowed")
    if sum(shadow.values()) > sum(plain.values()):
        raise Failure(f"more calls than without the runtime: {in_words(plain, shadow)}")
    return in_words(plain, shadow)


def counters_agree(row, place, library):
    """What mode watch counted and foretold, against the same counted from outside."""
    plain = count_once(row, place, library)
    shadow = count_once(row, place, library, SHADOW_CHILDREN)
    run_once(row, place, library, WATCH_CHILDREN)
    counted, removable = counters.totals(place.counters)
    for name in SIGNAL_CALLS:
        if counted[name] != plain[name]:
            raise Failure(f"watch counted {counted[name]} {name}, strace {plain[name]}")
        if removable[name] != plain[name] - shadow[name]:
            raise Failure(f"watch foretold {removable[name]} {name} removed, "
                          f"strace saw {plain[name]} → {shadow[name]}")


def added_calls(row, place, library):
    plain = count_once(row, place, library, calls=None)["total"]
    added = count_once(row, place, library, SHADOW, calls=None)["total"] - plain
    if added > row.adds:
        raise Failure(f"{added} system calls more than {plain}, at most {row.adds} allowed")
    return f"system calls {plain} → {plain + added}"


def in_words(plain, shadow):
    return ", ".join(f"{name} {plain[name]} → {shadow[name]}" for name in plain)


def verify(row, place, library, variants):
    same_outcome(row, place, library, variants)
    notes = [call_limits(row, place, library)] if row.count else []
    if row.count and row.follow and row.exact:
        counters_agree(row, place, library)
    if row.adds is not None:
        notes.append(added_calls(row, place, library))
    return "; ".join(notes) or "same in every mode"
