// SPDX-License-Identifier: MIT
//! Folded stacks: a line a stack, `program;main;…;call;kind number`, as flame graph tools read it.

use std::collections::BTreeMap;

use sigzero_model::{Caller, Process, Site};

use crate::clean::clean;
use crate::tree::INCOMPLETE;
use crate::{View, Weight};

pub fn render(view: &View, weight: Weight) -> String {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for process in &view.recording.processes {
        for site in process.sites.iter().filter(|site| !site.opaque) {
            let stack = stack(process, site);
            for class in site.counts.classes() {
                let price = match weight {
                    Weight::Calls => 1.0,
                    Weight::Time => view.recording.cost.of_class(&class).unwrap_or(0.0),
                };
                let line = match class.kind {
                    "" => stack.clone(),
                    kind => format!("{stack};{kind}"),
                };
                *sums.entry(line).or_default() += price * class.calls as f64;
            }
        }
    }
    let lines = sums.into_iter().filter(|(_, sum)| sum.round() >= 1.0);
    lines.map(|(stack, sum)| format!("{stack} {sum:.0}\n")).collect()
}

fn stack(process: &Process, site: &Site) -> String {
    let mut names = vec![folded(process.name())];
    names.extend(site.is_estimate().then(|| INCOMPLETE.into()));
    names.extend(site.frames().rev().map(|frame| folded(&name(frame))));
    names.push(folded(&site.function));
    names.join(";")
}

fn name(frame: &Caller) -> String {
    let otherwise = || format!("{}+{:#x}", frame.module_name(), frame.offset);
    frame.symbol.clone().unwrap_or_else(otherwise)
}

/// What separates frames must not be in one.
fn folded(name: &str) -> String {
    match clean(name).replace(';', ":") {
        name if name.is_empty() => "unknown".into(),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn each_stack_and_kind_is_a_line() {
        let recording = samples::stacks();
        let view = View::new(&recording);
        let expected = "x;main;rest;rt_sigprocmask;query 5\n\
                        x;main;work;rt_sigprocmask;block 10\n\
                        x;main;work;rt_sigprocmask;query 30\n";
        assert_eq!(render(&view, Weight::Calls), expected);
        let time = render(&view, Weight::Time);
        assert!(time.contains("work;rt_sigprocmask;block 2000\n"), "{time}");
    }

    #[test]
    fn a_stack_that_was_not_followed_to_its_end_is_marked() {
        let mut recording = samples::stacks();
        recording.processes[0].sites[1].stack_whole = false;
        let text = render(&View::new(&recording), Weight::Calls);
        assert!(text.contains("x;[incomplete];main;rest;rt_sigprocmask;query 5\n"), "{text}");
    }

    #[test]
    fn hostile_names_stay_one_frame() {
        let mut recording = samples::stacks();
        recording.processes[0].sites.truncate(1);
        std::sync::Arc::make_mut(&mut recording.processes[0].sites[0].stack[0]).symbol =
            Some("a;b\nc 9".into());
        let text = render(&View::new(&recording), Weight::Calls);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("x;main;a:b\u{fffd}c 9;rt_sigprocmask;query 30\n"), "{text}");
    }

    #[test]
    fn nothing_counted_is_no_line() {
        let recording = samples::recording(sigzero_model::report::Source::Runtime, Vec::new());
        assert_eq!(render(&View::new(&recording), Weight::Calls), "");
    }
}
