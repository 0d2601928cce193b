// SPDX-License-Identifier: MIT
//! Names of programs and functions are anybody's words: a terminal must not obey them.

use std::sync::Arc;

use sigzero_model::{Caller, Report};

/// Every name of a report that is to be shown on a terminal.
pub fn clean_report(report: &mut Report) {
    report.command.iter_mut().for_each(|word| *word = clean_lines(word));
    let mut texts: Vec<&mut String> = Vec::new();
    texts.extend(&mut report.notes);
    texts.extend(report.functions.iter_mut().map(|function| &mut function.name));
    texts.extend(report.hidden.iter_mut().map(|hidden| &mut hidden.function));
    for site in report.callers.iter_mut().chain(&mut report.stacks) {
        texts.push(&mut site.function);
        texts.extend(names(&mut site.caller));
        for frame in
            site.stack.iter_mut().filter(|frame| texts_of(frame).any(|text| must_be_cleaned(text)))
        {
            names(Arc::make_mut(frame)).for_each(|text| *text = clean(text));
        }
    }
    for process in &mut report.processes {
        texts.extend([&mut process.executable, &mut process.note, &mut process.damage]);
        texts.extend(process.functions.iter_mut().map(|function| &mut function.name));
    }
    texts.into_iter().filter(|text| must_be_cleaned(text)).for_each(|text| *text = clean(text));
}

fn names(caller: &mut Caller) -> impl Iterator<Item = &mut String> {
    let known = [&mut caller.symbol, &mut caller.file].into_iter().flatten();
    known.chain([&mut caller.module])
}

fn texts_of(caller: &Caller) -> impl Iterator<Item = &String> {
    [&caller.symbol, &caller.file].into_iter().flatten().chain([&caller.module])
}

fn must_be_cleaned(text: &str) -> bool {
    text.chars().any(steers)
}

/// The text on one line, without characters that steer a terminal or turn its direction.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// The same of a command, which may be a script of some lines.
pub fn clean_lines(text: &str) -> String {
    let keep = |c: char| matches!(c, '\n' | '\t') || !steers(c);
    text.chars().map(|c| if keep(c) { c } else { '\u{fffd}' }).collect()
}

fn steers(c: char) -> bool {
    let bidirectional = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || bidirectional || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_report_steers() {
        let bad = "a\x1b[2Jb\n";
        let mut recording = crate::samples::stacks();
        recording.run.command = vec![bad.into()];
        recording.run.notes = vec![bad.into()];
        let process = &mut recording.processes[0];
        process.note = bad.into();
        process.executable = bad.into();
        for site in &mut process.sites {
            site.function = bad.into();
            let name = Some(bad.to_string());
            let worse = Caller {
                module: bad.into(),
                symbol: name.clone(),
                file: name,
                ..site.caller.clone()
            };
            site.stack.fill(Arc::new(worse.clone()));
            site.caller = worse;
        }
        let mut report = recording.report();
        clean_report(&mut report);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(report.command, ["a\u{fffd}[2Jb\n"]);
        assert!(!text.contains("\\u001b") && text.matches("\\n").count() == 1, "{text}");
        assert!(text.contains("a\u{fffd}[2Jb"), "{text}");
    }

    #[test]
    fn what_steers_a_terminal_is_replaced() {
        assert_eq!(clean("a\x1b[31mb\nc\u{202e}d"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
        assert_eq!(clean("ärger <b>::f"), "ärger <b>::f");
    }
}
