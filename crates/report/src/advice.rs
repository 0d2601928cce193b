// SPDX-License-Identifier: MIT
//! What to do next, by what asks for the calls.

use sigzero_model::Report;
use sigzero_model::report::Source;

use crate::view::Row;

/// A caller with a smaller share of all calls is not worth a word.
const LEAST_SHARE: f64 = 0.02;
const MOST: usize = 6;

/// What the calls of a caller are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Jump,
    Context,
    /// Blocks, and what ends them.
    Section,
    Query,
    Same,
    Disposition,
    Wait,
    Send,
    AlternateStack,
    Unknown,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Index of the row that it is for.
    pub row: usize,
    pub kind: Kind,
    /// System calls, and their share of all, from 0 to 1.
    pub calls: u64,
    pub share: f64,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Jump => "jump",
            Kind::Context => "context",
            Kind::Section => "section",
            Kind::Query => "query",
            Kind::Same => "same",
            Kind::Disposition => "disposition",
            Kind::Wait => "wait",
            Kind::Send => "send",
            Kind::AlternateStack => "alternate-stack",
            Kind::Unknown => "unknown",
        }
    }

    /// What the author of the program can do.
    pub fn in_the_source(self) -> &'static str {
        match self {
            Kind::Jump => {
                "The jump keeps the signal mask. If it never leaves a signal handler and no mask is \
                 changed between, `_setjmp` and `_longjmp`, or `sigsetjmp(env, 0)`, do the same \
                 without a call."
            }
            Kind::Context => {
                "Each switch of context saves and restores the mask. If all contexts run with the \
                 same mask, create them with `makecontext` and switch with `sigsetjmp(env, 0)` and \
                 `siglongjmp`, or with a library that switches in user space."
            }
            Kind::Section => {
                "A block and a restore around a few lines: `sigzero_block()` and \
                 `sigzero_unblock()` of sigzero.h do it for two additions each, and deliver \
                 afterwards what came in between."
            }
            Kind::Query => {
                "It asks for what nobody has changed. Remember the answer, or ask only where the \
                 mask may have changed."
            }
            Kind::Same => "It sets what is set already. Compare first, and set only what differs.",
            Kind::Disposition => {
                "Handlers are installed and taken away again and again. Install once, and let the \
                 handler look at a variable."
            }
            Kind::Wait => "It waits for a signal: the kernel must know. Nothing to save.",
            Kind::Send => "It sends a signal: the kernel must know. Nothing to save.",
            Kind::AlternateStack => {
                "It changes the stack of its handlers. Once a thread is enough: keep it."
            }
            Kind::Unknown => {
                "What these calls ask for is not known from here: count with another source \
                 (`--source runtime`, or `--source bpf`)."
            }
        }
    }
}

pub fn of(report: &Report, rows: &[Row]) -> Vec<Advice> {
    let all = report.total.system_calls.max(1) as f64;
    let advice = |(row, caller): (usize, &Row)| Advice {
        row,
        kind: kind(caller, report.source),
        calls: caller.system_calls,
        share: caller.system_calls as f64 / all,
    };
    let worth = |advice: &Advice| advice.share >= LEAST_SHARE;
    rows.iter().enumerate().map(advice).filter(worth).take(MOST).collect()
}

fn kind(row: &Row, source: Source) -> Kind {
    let function = row.through.as_deref().unwrap_or(&row.function);
    by_name(function).unwrap_or_else(|| by_numbers(row, source))
}

/// Where the name of the function says it all.
fn by_name(function: &str) -> Option<Kind> {
    let name = function.trim_start_matches("__GI_").trim_start_matches("__");
    let name = name.trim_start_matches("libc_");
    match name {
        "setjmp" | "_setjmp" | "sigsetjmp" | "sigjmp_save" | "longjmp" | "_longjmp"
        | "siglongjmp" => Some(Kind::Jump),
        "getcontext" | "setcontext" | "swapcontext" => Some(Kind::Context),
        "sigsuspend" | "rt_sigsuspend" | "sigwait" | "sigwaitinfo" | "sigtimedwait"
        | "rt_sigtimedwait" | "signalfd" | "signalfd4" | "sigpending" | "rt_sigpending" => {
            Some(Kind::Wait)
        }
        "kill" | "tkill" | "tgkill" | "raise" | "sigqueue" | "pthread_kill" | "rt_sigqueueinfo"
        | "rt_tgsigqueueinfo" | "pidfd_send_signal" => Some(Kind::Send),
        "sigaltstack" => Some(Kind::AlternateStack),
        _ => None,
    }
}

/// Where it depends on what was asked for most.
fn by_numbers(row: &Row, source: Source) -> Kind {
    if !matches!(source, Source::Runtime | Source::Bpf) {
        return Kind::Unknown;
    }
    let actions = ["sigaction", "signal", "sigset", "sigignore", "siginterrupt"];
    let of_disposition = actions.iter().any(|name| row.function.contains(name));
    let (queries, same, changes) = (row.queries, row.same, row.changes);
    if changes >= queries && changes >= same {
        return if of_disposition { Kind::Disposition } else { Kind::Section };
    }
    if queries >= same { Kind::Query } else { Kind::Same }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{View, samples};

    #[test]
    fn the_function_or_else_the_numbers_tell_what_to_do() {
        let recording = samples::inside();
        let view = View::new(&recording);
        let kinds: Vec<_> = view.advice.iter().map(|advice| advice.kind).collect();
        assert_eq!(kinds, [Kind::Jump], "three calls of a thousand are not worth a word");
        let recording = samples::stacks();
        let view = View::new(&recording);
        let kinds: Vec<_> = view.advice.iter().map(|advice| advice.kind).collect();
        assert_eq!(kinds, [Kind::Query, Kind::Query]);
        assert!((view.advice[0].share - 40.0 / 45.0).abs() < 1e-9);
    }

    #[test]
    fn what_libc_was_asked_for_is_read_from_the_stack() {
        let mut recording = samples::stacks();
        let site = &mut recording.processes[0].sites[0];
        site.stack.insert(0, samples::frame("__sigsetjmp", 0x99).into());
        let view = View::new(&recording);
        assert_eq!(view.rows[0].through.as_deref(), Some("__sigsetjmp"));
        assert_eq!(view.advice[0].kind, Kind::Jump);
    }

    #[test]
    fn names_of_libc_are_known_in_all_their_forms() {
        assert_eq!(by_name("__libc_siglongjmp"), Some(Kind::Jump));
        assert_eq!(by_name("__GI___sigsetjmp"), Some(Kind::Jump));
        assert_eq!(by_name("swapcontext"), Some(Kind::Context));
        assert_eq!(by_name("rt_sigtimedwait"), Some(Kind::Wait));
        assert_eq!(by_name("my_sigsuspend_wrapper"), None);
    }
}
