// SPDX-License-Identifier: MIT
//! The report as people read it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use sigzero_model::report::{ProcessSummary, Source, Summary, Target};
use sigzero_model::{Counts, Hidden, Report, Site, program_name};

use sigzero_report::clean::clean_report;
use sigzero_report::{listed, of_estimated, quoted};

use crate::number::{duration, grouped, percent, share};
use crate::table::{Column, first, limited, render as table, shortened};
use crate::words;

/// Under this share of the wall time nobody would notice that the calls are gone.
const WORTH_IT: f64 = 0.001;

pub fn render(mut report: Report, top: usize) -> String {
    clean_report(&mut report);
    let report = &report;
    let mut text = heading(report);
    if report.source != Source::Nobody {
        text += &by_function(report);
        text += &by_caller(report, top);
        text += &by_process(report, top);
        text += &by_stack(report, top);
    }
    text += &hidden(report);
    text += &notes(report);
    text + &verdict(report)
}

fn heading(report: &Report) -> String {
    let bold = Style::new().bold();
    let wall = duration(report.wall_seconds);
    if let Some(target) = &report.target {
        let name = match target {
            Target::Everything => "the whole machine".into(),
            Target::Processes(pids) => {
                let word = if pids.len() == 1 { "process" } else { "processes" };
                format!("running {word} {}", listed(pids))
            }
        };
        return format!("\n{bold}sigzero stat: {name}{bold:#}\n{wall} watched\n");
    }
    let ending = words::ending(&report.ending);
    let command = quoted(&report.command);
    format!("\n{bold}sigzero stat: {command}{bold:#}\n{ending}, {wall} wall time\n")
}

fn by_function(report: &Report) -> String {
    let mut names: Vec<_> = report.functions.iter().map(|function| function.name.clone()).collect();
    let mut sums: Vec<_> = report.functions.iter().map(|function| function.sum).collect();
    if sums.is_empty() {
        return String::new();
    }
    names.push("total".into());
    sums.push(report.total);
    let (heading, title) = match report.source {
        Source::Ptrace | Source::Bpf => ("By system call", "system call"),
        _ => ("By function", "function"),
    };
    let mut columns = vec![Column::left(title, names)];
    columns.extend(numbers(&sums, report.source));
    table(heading, columns, true)
}

fn by_caller(report: &Report, top: usize) -> String {
    let callers = first(&report.callers, top);
    if callers.is_empty() {
        return String::new();
    }
    let heading = limited("By caller", callers.len(), report.callers.len());
    let each = |cell: fn(&Site) -> String| callers.iter().map(cell).collect::<Vec<_>>();
    let mut columns = vec![Column::right("calls", each(|site| grouped(site.counts.calls)))];
    if report.source == Source::Runtime {
        columns.push(Column::right("system calls", each(|s| grouped(s.counts.system_calls()))));
        columns.push(Column::right("removable", each(|site| grouped(site.counts.removable()))));
    }
    if report.source == Source::Bpf {
        columns.push(Column::right("query", each(|site| grouped(site.counts.queries()))));
        columns.push(Column::right("no change", each(|site| grouped(site.counts.same()))));
        columns.push(Column::right("change", each(|site| grouped(site.counts.changes()))));
    }
    let title = if report.source == Source::Runtime { "function" } else { "system call" };
    columns.extend([
        Column::left(title, each(|site| site.function.clone())),
        Column::left("called from", each(|site| shortened(&site.caller.place()))),
        Column::left("in", each(|site| site.caller.module_name().into())),
        Column::left("source", each(|site| site.caller.source().unwrap_or_default())),
    ]);
    table(&heading, columns, false)
}

fn by_process(report: &Report, top: usize) -> String {
    if report.processes.len() < 2 {
        return String::new();
    }
    let mut sorted: Vec<_> = report.processes.iter().collect();
    sorted.sort_by_key(|process| Reverse(process.sum.system_calls));
    let shown = first(&sorted, top);
    let each = |cell: fn(&ProcessSummary) -> String| shown.iter().map(|p| cell(p)).collect();
    let sums: Vec<_> = shown.iter().map(|process| process.sum).collect();
    let mut columns = vec![
        Column::left("pid", each(|process| process.pid.to_string())),
        Column::left("program", each(|process| name(process).into())),
    ];
    columns.extend(numbers(&sums, report.source));
    table(&limited("By process image", shown.len(), sorted.len()), columns, false)
}

/// Whole stacks, as many as there are callers to show.
fn by_stack(report: &Report, top: usize) -> String {
    let stacks = first(&report.stacks, top);
    if stacks.is_empty() {
        return String::new();
    }
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let heading = limited("By stack", stacks.len(), report.stacks.len());
    let mut text = format!("\n{bold}{heading}{bold:#}\n");
    for site in stacks {
        let mark = if site.stack_whole { "" } else { ", not whole" };
        let calls = grouped(site.counts.calls);
        let _ = writeln!(text, "  {calls} {}{mark}", site.function);
        for frame in &site.stack {
            let (place, module) = (shortened(&frame.place()), frame.module_name());
            let source = frame.source().map_or(String::new(), |source| format!(", {source}"));
            let _ = writeln!(text, "      {place} {dim}in {module}{source}{dim:#}");
        }
    }
    text
}

fn name(process: &ProcessSummary) -> &str {
    program_name(&process.executable).unwrap_or("?")
}

fn numbers(sums: &[Summary], source: Source) -> Vec<Column> {
    let each = |number: fn(&Counts) -> u64| -> Vec<_> {
        sums.iter().map(|sum| grouped(number(&sum.counts))).collect()
    };
    let calls = Column::right("calls", each(|counts| counts.calls));
    if source == Source::Ptrace {
        return vec![calls];
    }
    let saved = sums.iter().map(|sum| match sum.removable {
        0 => String::new(),
        _ => duration(sum.saved_seconds),
    });
    vec![
        calls,
        Column::right("rt_sigprocmask", each(|counts| counts.rt_sigprocmask.total)),
        Column::right("rt_sigaction", each(|counts| counts.rt_sigaction.total)),
        Column::right("other", each(|counts| counts.other)),
        Column::right("query", each(Counts::queries)),
        Column::right("no change", each(Counts::same)),
        Column::right("change", each(Counts::changes)),
        Column::right("failed", each(|c| c.rt_sigprocmask.failed + c.rt_sigaction.failed)),
        Column::right("removable", each(Counts::removable)),
        Column::right("est. saved", saved.collect()),
    ]
}

fn hidden(report: &Report) -> String {
    if report.hidden.is_empty() {
        return String::new();
    }
    let each = |cell: fn(&Hidden) -> String| report.hidden.iter().map(cell).collect();
    let about = |number: Option<u64>| number.map_or("?".into(), |n| format!("~{}", grouped(n)));
    let columns = vec![
        Column::left("function", each(|hidden| hidden.function.clone())),
        Column::right("calls", each(|hidden| grouped(hidden.calls))),
        Column::right(
            "rt_sigprocmask",
            report.hidden.iter().map(|h| about(h.rt_sigprocmask)).collect(),
        ),
        Column::right(
            "rt_sigaction",
            report.hidden.iter().map(|h| about(h.rt_sigaction)).collect(),
        ),
    ];
    let heading = "Not visible to the runtime: made by libc inside (estimated from glibc 2.36)";
    table(heading, columns, false)
}

fn notes(report: &Report) -> String {
    let mut notes: Vec<String> = report.notes.clone();
    if report.lost > 0 {
        notes.push(format!(
            "{} calls were lost, since there were more callers than the table holds: the counts above are too low",
            grouped(report.lost)
        ));
    }
    notes.extend(of_estimated(report));
    notes.extend(of_processes(report));
    if !report.followed && report.source == Source::Runtime {
        notes.push(
            "counted: the program and what it forks, but no other programs that it starts: \
             --follow takes them along"
                .into(),
        );
    }
    words::notes(&notes)
}

/// What several images of one program have in common is said once.
fn of_processes(report: &Report) -> Vec<String> {
    let mut images: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut in_vfork: BTreeMap<&str, u64> = BTreeMap::new();
    for process in &report.processes {
        let name = name(process);
        for text in [&process.note, &process.damage].into_iter().filter(|text| !text.is_empty()) {
            *images.entry((name, text)).or_default() += 1;
        }
        if process.vfork_calls > 0 {
            *in_vfork.entry(name).or_default() += process.vfork_calls;
        }
    }
    let notes = images.iter().map(|((name, text), images)| match images {
        1 => format!("{name}: {text}"),
        images => format!("{name} ({} times): {text}", grouped(*images)),
    });
    let vfork = in_vfork.iter().map(|(name, calls)| {
        format!(
            "{name}: {} of its calls were made by vfork children in its memory",
            grouped(*calls)
        )
    });
    notes.chain(vfork).collect()
}

fn verdict(report: &Report) -> String {
    match report.source {
        Source::Runtime => of_runtime(report),
        Source::Ptrace => format!(
            "\n{} signal system calls, counted by a tracer that slows the program down; they stay, and \
             which of them could be removed is not told: a tracer sees what was asked, not why\n",
            grouped(report.total.system_calls)
        ),
        Source::Bpf => of_kernel(report),
        Source::Nobody => "\nnothing was counted\n".into(),
    }
}

fn of_kernel(report: &Report) -> String {
    let calls = report.total.system_calls;
    let needless = report.total.needless;
    let exact = if report.exact { "exactly" } else { "not all of them" };
    let by = report.attached.as_ref().map_or(String::new(), |by| format!(" ({by})"));
    let price = report.price.unwrap_or_default();
    let in_kernel = price
        .in_kernel_seconds
        .map_or("too little to tell".into(), |s| format!("about {}", duration(s)));
    format!(
        "\n{} signal system calls, counted in the kernel by eBPF{by}, {exact}; {} ({}) change nothing\n  it took \
         {in_kernel} of the programs' time, and {} of our own; which calls `sigzero run` removes is told\n  by \
         --source runtime alone: the kernel sees what was asked, not why\n",
        grouped(calls),
        grouped(needless),
        share(needless, calls),
        duration(price.own_seconds),
    )
}

fn of_runtime(report: &Report) -> String {
    let Summary { system_calls, removable, saved_seconds, .. } = report.total;
    let of = format!("{} of {} signal system calls", grouped(removable), grouped(system_calls));
    let gain =
        format!("{}, {} of the wall time", duration(saved_seconds), percent(report.saved_share()));
    if system_calls == 0 && report.processes.iter().any(|process| !process.damage.is_empty()) {
        return "\nnothing was counted\n".into();
    }
    if system_calls == 0 {
        let plain = Style::new().bold();
        return format!("\n{plain}nothing to win:{plain:#} no signal system calls of its own\n");
    }
    if removable == 0 {
        let plain = Style::new().bold();
        let calls = grouped(system_calls);
        return format!(
            "\n{plain}nothing to win:{plain:#} none of {calls} signal system calls can be removed\n"
        );
    }
    if report.saved_share() < WORTH_IT {
        let plain = Style::new().bold();
        return format!(
            "\n{plain}nothing to win:{plain:#} {of} can be removed, but took only about {gain}\n{}",
            basis(report)
        );
    }
    let good = Style::new().bold().fg_color(Some(AnsiColor::Green.into()));
    format!(
        "\n{good}{of} ({}) can be removed{good:#}: about {gain}\n{}  try it:    sigzero run -- {command}\n  prove it:  sigzero compare -- {command}\n",
        share(removable, system_calls),
        basis(report),
        command = quoted(&report.command),
    )
}

fn basis(report: &Report) -> String {
    let cost = &report.cost;
    forecast(report)
        + &format!(
            "  (estimated from the price of a call on this machine: query {:.0} ns, no change {:.0} ns, \
             change {:.0} ns, sigaction {:.0} ns)\n",
            cost.mask_query_ns, cost.mask_same_ns, cost.mask_change_ns, cost.action_query_ns
        )
}

/// What only changes nothing is gone for sure; the rest depends on what arrives.
fn forecast(report: &Report) -> String {
    let Summary { needless, removable, added, .. } = report.total;
    let changes = (removable + added).saturating_sub(needless);
    if changes == 0 {
        return String::new();
    }
    let own = match added {
        0 => String::new(),
        calls => format!("; {} that sigzero makes itself are taken off", grouped(calls)),
    };
    format!(
        "  a forecast: {} change nothing and are gone for sure, {} block or restore without need of the \
         kernel,\n  and each signal that arrives while it is blocked so costs a few calls{own}\n",
        grouped(needless),
        grouped(changes)
    )
}

#[cfg(test)]
mod tests;
