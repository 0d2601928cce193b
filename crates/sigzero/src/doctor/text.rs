// SPDX-License-Identifier: MIT
//! What `doctor` found, as people read it.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use sigzero_doctor::report::{Action, Pending, Thread, Treatment, Unchanged};
use sigzero_doctor::{Report, Set};

use crate::number::{duration, grouped};
use crate::table::{Column, render as table, shortened};
use sigzero_report::quoted;

/// How many threads are listed by number in one cell.
const LISTED: usize = 4;

pub fn render(report: &Report) -> String {
    heading(report) + &threads(report) + &pending(report) + &said(report) + &verdict(report)
}

fn heading(report: &Report) -> String {
    let bold = Style::new().bold();
    let command = shortened(&quoted(&report.command));
    let mut text = format!("\n{bold}sigzero doctor {}: {command}{bold:#}\n", report.pid);
    let count = match report.threads.len() {
        1 => "1 thread".into(),
        count => format!("{} threads", grouped(count as u64)),
    };
    let _ = writeln!(text, "{}; {count}; {}", treatment(report), watched(report));
    let lines = [("ignores", report.ignored), ("catches", report.caught)];
    let lines = lines.map(|(verb, set)| (verb, set.without(Set::LIBC)));
    for (verb, set) in lines.into_iter().filter(|(_, set)| !set.is_empty()) {
        let _ = writeln!(text, "{verb} {}", set.short());
    }
    for file in report.signal_files.iter().flatten() {
        let signals = file.signals.short();
        let _ = writeln!(text, "reads {signals} from file descriptor {}", file.descriptor);
    }
    if report.stopped {
        text += "stopped: no signal is delivered until it goes on\n";
    }
    if let Some(tracer) = report.tracer {
        let _ = writeln!(text, "traced by process {tracer}, which sees each signal first");
    }
    text
}

fn treatment(report: &Report) -> String {
    match &report.treatment {
        Treatment::Untreated => "not treated by sigzero".into(),
        Treatment::Kernel => "a thread of the kernel".into(),
        Treatment::Unknown { .. } => "whether sigzero treats it is unknown".into(),
        Treatment::Treated { refused: Some(why), .. } => format!("left alone by sigzero: {why}"),
        Treatment::Treated { stepped_aside: Some(why), .. } => {
            format!("sigzero has stepped aside: {why}")
        }
        Treatment::Treated { mode, .. } => format!("treated by sigzero in mode {mode}"),
    }
}

fn watched(report: &Report) -> String {
    match report.looks {
        1 => "looked at once".into(),
        looks => format!("looked at {looks} times in {}", duration(report.watched_seconds)),
    }
}

fn threads(report: &Report) -> String {
    let each = |cell: &dyn Fn(&Thread) -> String| report.threads.iter().map(cell).collect();
    let set = |set: Option<Set>| set.map_or("?".into(), Set::short);
    let mut columns = vec![
        Column::right("tid", each(&|thread| thread.tid.to_string())),
        Column::left("name", each(&|thread| thread.name.clone())),
        Column::left("state", each(&state)),
    ];
    match report.treatment {
        Treatment::Untreated | Treatment::Kernel => {
            columns.push(Column::left("blocked", each(&|t| t.blocked_by_kernel.short())));
        }
        Treatment::Unknown { .. } => {
            columns.push(Column::left(
                "blocked by the kernel",
                each(&|t| t.blocked_by_kernel.short()),
            ));
        }
        Treatment::Treated { .. } => columns.extend([
            Column::left("blocked by the program", each(&|t| set(t.blocked_by_program))),
            Column::left("by the kernel", each(&|t| t.blocked_by_kernel.short())),
            Column::left("lazily", each(&|t| set(t.blocked_lazily))),
        ]),
    }
    let caller = |cell: fn(&sigzero_doctor::Caller) -> String| {
        move |thread: &Thread| thread.changed_by.as_ref().map(cell).unwrap_or_default()
    };
    columns.extend([
        Column::right("section", each(&depth)),
        Column::right("held for", each(&|t| t.held_seconds.map(duration).unwrap_or_default())),
        Column::left("unchanged", each(&|thread| unchanged(thread.unchanged, report))),
        Column::right("changes", each(&|t| t.changes.map(grouped).unwrap_or_default())),
        Column::left("last changed by", each(&caller(|caller| shortened(&caller.place())))),
        Column::left("in", each(&caller(|caller| caller.module_name().into()))),
        Column::left("source", each(&caller(|caller| caller.source().unwrap_or_default()))),
    ]);
    table("Threads", columns, false)
}

fn state(thread: &Thread) -> String {
    match (&thread.call, &thread.kernel_function) {
        (Some(call), _) if thread.state == "sleeping" => format!("in {call}"),
        (Some(call), _) => format!("{} in {call}", thread.state),
        (None, Some(function)) => format!("{} ({function})", thread.state),
        _ => thread.state.into(),
    }
}

/// The runtime's own word, and that of the program if it registered one.
fn depth(thread: &Thread) -> String {
    match (thread.section, thread.section_registered) {
        (own, None) => own.map(|depth| depth.to_string()).unwrap_or_default(),
        (own, Some(registered)) => format!("{}+{registered}", own.unwrap_or(0)),
    }
}

fn unchanged(unchanged: Unchanged, report: &Report) -> String {
    match unchanged {
        Unchanged::All => format!("at least {}", duration(report.watched_seconds)),
        Unchanged::SameAtLooks => format!("at {} looks", report.looks),
        Unchanged::Changed => "no, it changes".into(),
        Unchanged::Unknown => String::new(),
    }
}

fn pending(report: &Report) -> String {
    if report.pending.is_empty() {
        return String::new();
    }
    let each = |cell: &dyn Fn(&Pending) -> String| report.pending.iter().map(cell).collect();
    let columns = vec![
        Column::left("signal", each(&|pending| pending.signal.to_string())),
        Column::left("sent to", each(&addressee)),
        Column::left("seen", each(&|pending| seen(pending, report))),
        Column::left("it would be", each(&|pending| action(pending.action).into())),
        Column::left("blocked by", each(&|pending| list(&pending.blocked_by, report))),
        Column::left("can be taken by", each(&taken_by(report))),
    ];
    table("Pending", columns, false)
}

fn addressee(pending: &Pending) -> String {
    pending.thread.map_or("the process".into(), |thread| format!("thread {thread}"))
}

fn seen(pending: &Pending, report: &Report) -> String {
    match (report.looks, pending.all_the_time) {
        (1, _) => String::new(),
        (_, true) => "at every look".into(),
        (_, false) => "at the last look".into(),
    }
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Caught => "caught",
        Action::Ignored => "ignored",
        Action::Default => "the default action",
    }
}

fn taken_by(report: &Report) -> impl Fn(&Pending) -> String {
    |pending| {
        let readers = pending.readers.iter().map(|reader| format!("file descriptor {reader}"));
        let threads = Some(list(&pending.takers, report)).filter(|list| !list.is_empty());
        let all: Vec<_> = threads.into_iter().chain(readers).collect();
        if all.is_empty() { "nobody".into() } else { all.join(", ") }
    }
}

fn list(threads: &[i32], report: &Report) -> String {
    match threads.len() {
        0 => String::new(),
        2 if report.threads.len() == 2 => "both threads".into(),
        count if count == report.threads.len() && count > 1 => format!("all {count} threads"),
        count if count > LISTED => format!("{count} threads"),
        1 => format!("thread {}", threads[0]),
        _ => {
            let numbers: Vec<_> = threads.iter().map(ToString::to_string).collect();
            format!("threads {}", numbers.join(" "))
        }
    }
}

fn said(report: &Report) -> String {
    let bad = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let findings = report.findings.iter().map(|f| format!("{bad}finding:{bad:#} {}", f.text));
    let lines: Vec<_> =
        findings.chain(report.notes.iter().map(|note| format!("note: {note}"))).collect();
    if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join("\n")) }
}

fn verdict(report: &Report) -> String {
    let bold = Style::new().bold();
    let looks = match report.looks {
        1 => " at this one look, which may be passing: watch it for a while".into(),
        looks => format!(", true at all {looks} looks"),
    };
    match report.findings.len() {
        0 => format!("\n{bold}nothing wrong was found{bold:#}\n"),
        1 => format!("\n{bold}1 finding{bold:#}{looks}\n"),
        count => format!("\n{bold}{count} findings{bold:#}{looks}\n"),
    }
}
