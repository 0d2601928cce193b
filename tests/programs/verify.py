# SPDX-License-Identifier: MIT
"""What is demanded of one row; each function raises Failure with what it saw."""
import counters
from count import COUNTED, SENDING, SIGNAL_CALLS, count
from outcome import run
from runtime import (LAZY, LAZY_CHILDREN, SHADOW, SHADOW_CHILDREN, WATCH_CHILDREN,
                     plain_environment, settings)


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


def count_once(row, place, library, variant=None, calls=COUNTED):
    place.make_fresh(row)
    extra = settings(variant, library, place.counters) if variant else {}
    return count(row.command, place.home, row.stdin(), plain_environment(place.home), extra, calls)


def together(counts):
    """rt_sigprocmask and rt_sigaction: what the limits of mode lazy are about."""
    return sum(counts[name] for name in SIGNAL_CALLS)


def sent_again(counts):
    return sum(counts[name] for name in SENDING)


def plain_range(row, plain):
    for name, (least, most) in row.plain.items():
        if not least <= plain[name] <= most:
            raise Failure(f"{plain[name]} {name} without the runtime, expected {least} to {most}")


def never_more(plain, counts, variant):
    if sum(counts.values()) > sum(plain.values()):
        raise Failure(f"{variant.name}: more calls than without the runtime: "
                      f"{in_words(plain, counts)}")


def shadow_limit(row, shadow):
    for name, most in row.limit.items():
        if shadow[name] > most:
            raise Failure(f"{shadow[name]} {name} in mode shadow, at most {most} allowed")


def lazy_limit(row, plain, lazy):
    limits = [row.lazy] if row.lazy is not None else []
    if row.lazy_share is not None:
        limits.append(int(together(plain) * row.lazy_share))
    for most in limits:
        if together(lazy) > most:
            raise Failure(f"{together(lazy)} calls of {together(plain)} left in mode lazy, "
                          f"at most {most} allowed")


def call_limits(row, place, library):
    """Returns the counts as a line for the reader."""
    plain = count_once(row, place, library)
    plain_range(row, plain)
    counted = {}
    for variant in (SHADOW, LAZY):
        counted[variant] = count_once(row, place, library, variant)
        never_more(plain, counted[variant], variant)
    shadow_limit(row, counted[SHADOW])
    lazy_limit(row, plain, counted[LAZY])
    return in_words(plain, counted[SHADOW], counted[LAZY])


def counters_agree(row, place, library):
    """What mode watch counted and foretold, against the same counted from outside."""
    plain = count_once(row, place, library)
    run_once(row, place, library, WATCH_CHILDREN)
    counted, *foretold = counters.totals(place.counters)
    for name in SIGNAL_CALLS:
        if counted[name] != plain[name]:
            raise Failure(f"watch counted {counted[name]} {name}, strace {plain[name]}")
    for variant, fewer in zip((SHADOW_CHILDREN, LAZY_CHILDREN), foretold):
        came_true(variant, fewer, plain, count_once(row, place, library, variant))


def came_true(variant, fewer, plain, seen):
    """Exact but for the signals that arrived while they were blocked: each costs a block and an
    opening."""
    never_more(plain, seen, variant)
    for name in SIGNAL_CALLS:
        missed = fewer[name] - (plain[name] - seen[name])
        excuse = 2 * sent_again(seen) if name == "rt_sigprocmask" else 0
        if not 0 <= missed <= excuse:
            raise Failure(f"watch foretold {fewer[name]} {name} fewer in mode {variant.mode}, "
                          f"strace saw {plain[name]} → {seen[name]}")


def added_calls(row, place, library):
    plain = count_once(row, place, library, calls=None)["total"]
    for variant in (SHADOW, LAZY):
        added = count_once(row, place, library, variant, calls=None)["total"] - plain
        if added > row.adds:
            raise Failure(f"{variant.name}: {added} system calls more than {plain}, "
                          f"at most {row.adds} allowed")
    return f"system calls {plain} → {plain + added}"


def in_words(plain, *others):
    return ", ".join(" → ".join([f"{name} {plain[name]}", *(str(c[name]) for c in others)])
                     for name in plain if plain[name] or any(c[name] for c in others))


def verify(row, place, library, variants):
    same_outcome(row, place, library, variants)
    notes = [call_limits(row, place, library)] if row.count else []
    if row.count and row.follow and row.exact:
        counters_agree(row, place, library)
    if row.adds is not None:
        notes.append(added_calls(row, place, library))
    return "; ".join(filter(None, notes)) or "same in every mode"
