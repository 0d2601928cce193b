// SPDX-License-Identifier: MIT
//! What all forms of a report have in common.

use std::collections::HashMap;

use sigzero_model::report::{Source, Target};
use sigzero_model::{Caller, Report, Site, Spent};
use sigzero_number::{grouped, share};
use sigzero_recording::Recording;

use crate::advice::{self, Advice};
use crate::clean::clean_lines;

/// A recording, added up.
pub struct View<'a> {
    pub recording: &'a Recording,
    pub report: Report,
    /// Most system calls first.
    pub rows: Vec<Row>,
    /// Of all system calls, estimated.
    pub spent: Spent,
    pub advice: Vec<Advice>,
}

/// A function called from one place.
#[derive(Clone, Debug)]
pub struct Row {
    pub function: String,
    /// The function of libc that made the system call, where only the call was counted.
    pub through: Option<String>,
    pub caller: Caller,
    pub calls: u64,
    pub system_calls: u64,
    pub queries: u64,
    pub same: u64,
    pub changes: u64,
    /// Known to change nothing.
    pub needless: u64,
    /// Foretold to go under `sigzero run`; only the runtime knows.
    pub removable: u64,
    pub spent: Spent,
}

impl<'a> View<'a> {
    pub fn new(recording: &'a Recording) -> Self {
        let report = recording.report();
        let through = through(&report);
        let row = |site: &Site| Row {
            through: through.get(&(site.function.as_str(), &site.caller)).cloned(),
            ..row(site, &report)
        };
        let rows: Vec<_> = report.callers.iter().map(row).collect();
        let spent = recording.cost.of_all(&report.total.counts);
        let advice = advice::of(&report, &rows);
        Self { recording, report, rows, spent, advice }
    }

    /// What was looked at, in a few words; a command as it can be typed again.
    pub fn subject(&self) -> String {
        match &self.report.target {
            Some(Target::Everything) => "the whole machine".into(),
            Some(Target::Processes(pids)) => {
                let word = if pids.len() == 1 { "process" } else { "processes" };
                format!("{word} {}", listed(pids))
            }
            None => clean_lines(&self.command()),
        }
    }

    pub fn command(&self) -> String {
        quoted(&self.report.command)
    }

    pub fn foretold(&self) -> bool {
        self.report.source == Source::Runtime
    }

    /// The kinds of the calls are known.
    pub fn classified(&self) -> bool {
        matches!(self.report.source, Source::Runtime | Source::Bpf)
    }

    /// Estimated time of the calls that change nothing.
    pub fn needless_seconds(&self) -> f64 {
        let cost = &self.recording.cost;
        let classes = self.report.total.counts.classes();
        let needless = classes.filter(|class| matches!(class.kind, "query" | "same"));
        needless.filter_map(|class| Some(cost.of_class(&class)? * class.calls as f64)).sum::<f64>()
            * 1e-9
    }

    /// Who counted, in words.
    pub fn source(&self) -> String {
        match (self.report.source, &self.report.attached) {
            (Source::Runtime, _) => "from inside, by the preloaded runtime".into(),
            (Source::Bpf, Some(by)) => format!("from inside the kernel, by eBPF ({by})"),
            (Source::Bpf, None) => "from inside the kernel, by eBPF".into(),
            (Source::Ptrace, _) => "from outside, by ptrace".into(),
            (Source::Nobody, _) => "by nobody".into(),
        }
    }

    /// All that a reader has to know about the numbers.
    pub fn notes(&self) -> Vec<String> {
        let report = &self.report;
        let mut notes = report.notes.clone();
        if report.lost > 0 {
            notes.push(format!(
                "{} calls were lost, since there were more callers than the table holds",
                grouped(report.lost)
            ));
        }
        notes.extend(of_estimated(report));
        if !report.followed && report.source == Source::Runtime {
            notes.push(
                "counted: the program and what it forks, but no other programs that it starts; \
                 --follow takes them along"
                    .into(),
            );
        }
        let mut of_processes: Vec<_> = report
            .processes
            .iter()
            .flat_map(|process| [&process.note, &process.damage].map(|note| (process, note)))
            .filter(|(_, note)| !note.is_empty())
            .map(|(process, note)| format!("{}: {note}", process.executable))
            .collect();
        of_processes.sort();
        of_processes.dedup();
        notes.extend(of_processes);
        notes
    }
}

/// So that it can be pasted into a shell.
pub fn quoted(command: &[String]) -> String {
    let quoted = shlex::try_join(command.iter().map(String::as_str));
    quoted.unwrap_or_else(|_| command.join(" "))
}

/// Numbers of processes, in a sentence.
pub fn listed(pids: &[i32]) -> String {
    pids.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
}

/// What there is to know about calls whose caller is an estimate, if there are any.
pub fn of_estimated(report: &Report) -> Option<String> {
    (report.estimated > 0).then(|| {
        format!(
            "{} of {} calls ({}) are counted, but their stack is not known to its end: their caller is \
             an estimate",
            grouped(report.estimated),
            grouped(report.total.system_calls),
            share(report.estimated, report.total.system_calls)
        )
    })
}

/// By call and caller, the function that the caller called: that of the heaviest stack.
fn through(report: &Report) -> HashMap<(&str, &Caller), String> {
    let mut names = HashMap::new();
    for site in &report.stacks {
        let at = site.stack.iter().position(|frame| **frame == site.caller);
        let below = at.and_then(|at| site.stack.get(at.checked_sub(1)?));
        if let Some(name) = below.and_then(|frame| frame.symbol.as_deref()) {
            // glibc's names for its own use of what it also offers.
            let name = name.strip_prefix("__GI_").unwrap_or(name);
            names.entry((site.function.as_str(), &site.caller)).or_insert(name.to_owned());
        }
    }
    names
}

fn row(site: &Site, report: &Report) -> Row {
    let counts = &site.counts;
    Row {
        function: site.function.clone(),
        through: None,
        caller: site.caller.clone(),
        calls: counts.calls,
        system_calls: counts.system_calls(),
        queries: counts.queries(),
        same: counts.same(),
        changes: counts.changes(),
        needless: counts.needless(),
        removable: counts.removable(),
        spent: report.cost.of_all(counts),
    }
}
