// SPDX-License-Identifier: MIT
//! The report as people read it.

use anstyle::{AnsiColor, Style};
use sigzero_model::report::Target;
use sigzero_queue::Report;
use sigzero_queue::report::{Link, Origin, Source, Task};
use sigzero_report::{listed, quoted};

use crate::number::{duration, grouped, share};
use crate::table::{Column, first, limited, render as table};
use crate::words;

pub fn render(report: &Report, top: usize) -> String {
    heading(report)
        + &by_task(report, top)
        + &by_link(report, top)
        + &depths(report)
        + &limits(report)
        + &counters(report)
        + &notes(report)
        + &verdict(report)
}

fn heading(report: &Report) -> String {
    let bold = Style::new().bold();
    let wall = duration(report.wall_seconds);
    let name = match &report.target {
        None => {
            let ending = words::ending(&report.ending);
            let command = quoted(&report.command);
            return format!(
                "\n{bold}sigzero queue: {command}{bold:#}\n{ending}, {wall} wall time\n"
            );
        }
        Some(Target::Everything) => "the whole machine".into(),
        Some(Target::Processes(pids)) => format!("running {}", listed(pids)),
    };
    format!("\n{bold}sigzero queue: {name}{bold:#}\n{wall} watched\n")
}

fn by_task(report: &Report, top: usize) -> String {
    let tasks: Vec<_> = report.tasks.iter().filter(|task| task.sums.signals > 0).collect();
    let shown = first(&tasks, top);
    if shown.is_empty() {
        return String::new();
    }
    let each = |cell: fn(&Task) -> String| shown.iter().map(|task| cell(task)).collect::<Vec<_>>();
    let number = |number: u64| if number == 0 { String::new() } else { grouped(number) };
    let columns = vec![
        Column::left(
            "pid",
            each(|task| if task.pid == 0 { String::new() } else { task.pid.to_string() }),
        ),
        Column::left(
            "tid",
            each(|task| if task.tid == task.pid { String::new() } else { task.tid.to_string() }),
        ),
        Column::left(
            "task",
            each(|task| match task.tasks {
                1 => task.name.clone(),
                tasks => format!("{} ({} tasks)", task.name, grouped(tasks)),
            }),
        ),
        Column::right("signals", each(|task| grouped(task.sums.signals))),
        Column::right("cache", shown.iter().map(|task| number(task.sums.cache)).collect()),
        Column::right("slab", shown.iter().map(|task| number(task.sums.slab)).collect()),
        Column::right(
            "share",
            each(|task| match task.sums.sigqueues() {
                0 => String::new(),
                sigqueues => share(task.sums.cache, sigqueues),
            }),
        ),
        Column::right("timer", shown.iter().map(|task| number(task.sums.timer)).collect()),
        Column::right("ignored", shown.iter().map(|task| number(task.sums.ignored)).collect()),
        Column::right("was pending", shown.iter().map(|task| number(task.sums.pending)).collect()),
        Column::right(
            "no room",
            shown.iter().map(|task| number(task.sums.no_room + task.sums.refused)).collect(),
        ),
        Column::right("deepest", shown.iter().map(|task| number(task.deepest.into())).collect()),
    ];
    table(&limited("By task", shown.len(), tasks.len()), columns, false)
}

fn by_link(report: &Report, top: usize) -> String {
    let shown = first(&report.links, top);
    if shown.is_empty() {
        return String::new();
    }
    let each = |cell: fn(&Link) -> String| shown.iter().map(cell).collect::<Vec<_>>();
    let columns = vec![
        Column::right("signals", each(|link| grouped(link.signals))),
        Column::left("signal", each(|link| link.signal_name.clone())),
        Column::left(
            "from",
            each(|link| match (link.origin, &link.sender) {
                (Origin::Child, Some(sender)) => format!("{sender} (child)"),
                (Origin::Timer, _) => "[POSIX timer]".into(),
                (_, Some(sender)) => sender.clone(),
                (_, None) => "[kernel]".into(),
            }),
        ),
        Column::left("to", each(|link| link.target.clone())),
        Column::right("cache", each(|link| grouped(link.cache))),
        Column::right("slab", each(|link| grouped(link.slab))),
    ];
    let heading = limited("By sender and target", shown.len(), report.links.len());
    // On a kernel with the cache too: its own word is by task.
    let heading = match report.source {
        Source::Kernel => format!("{heading}, cache and slab by forecast"),
        _ => heading,
    };
    table(&heading, columns, false)
}

fn depths(report: &Report) -> String {
    if report.depths.iter().all(|depth| depth.to == 1) {
        return String::new();
    }
    let range =
        |from: u64, to: u64| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let columns = vec![
        Column::right("in line", report.depths.iter().map(|d| range(d.from, d.to)).collect()),
        Column::right("signals", report.depths.iter().map(|d| grouped(d.signals)).collect()),
    ];
    table("How many waited, the signal itself included", columns, false)
}

/// Only users that came near to their limit, or over.
fn limits(report: &Report) -> String {
    let near = report.users.iter().filter(|user| user.refused > 0 || user.most * 10 > user.limit);
    let near: Vec<_> = near.collect();
    if near.is_empty() {
        return String::new();
    }
    let columns = vec![
        Column::left("uid", near.iter().map(|user| user.uid.to_string()).collect()),
        Column::right("most at once", near.iter().map(|user| grouped(user.most)).collect()),
        Column::right("limit", near.iter().map(|user| grouped(user.limit)).collect()),
        Column::right("refused", near.iter().map(|user| grouped(user.refused)).collect()),
    ];
    table("Near to RLIMIT_SIGPENDING (ulimit -i)", columns, false)
}

fn counters(report: &Report) -> String {
    let Some(counters) = report.counters else { return String::new() };
    let rows = [
        ("cache", counters.cache),
        ("slab", counters.slab),
        ("POSIX timers made", counters.timer),
        ("kept in a slot", counters.kept),
        ("dropped, the slot was full", counters.dropped),
        ("flushed", counters.flushed),
        ("released with their task", counters.released),
        ("slots that are filled now", counters.filled),
        ("tasks now", counters.tasks),
    ];
    let columns = vec![
        Column::left("counter", rows.iter().map(|(name, _)| (*name).into()).collect()),
        Column::right("whole machine", rows.iter().map(|(_, value)| grouped(*value)).collect()),
    ];
    table("The kernel's own counters", columns, false)
}

fn notes(report: &Report) -> String {
    let mut notes = report.notes.clone();
    if report.total.unsure > 0 {
        notes.push(format!(
            "{} of those from the slab are the first signals seen by tasks older than the watch: their \
             slots were taken to be empty",
            grouped(report.total.unsure)
        ));
    }
    words::notes(&notes)
}

fn verdict(report: &Report) -> String {
    let total = &report.total;
    let sigqueues = total.sigqueues();
    if sigqueues == 0 {
        return format!("\n{} signals, none of which took a sigqueue\n", grouped(total.signals));
    }
    let good = Style::new().bold().fg_color(Some(AnsiColor::Green.into()));
    let part = format!(
        "{} of {} sigqueues ({})",
        grouped(total.cache),
        grouped(sigqueues),
        share(total.cache, sigqueues)
    );
    let (says, basis) = match report.source {
        Source::Forecast => (
            format!("{good}{part}{good:#} would come from the one-slot cache instead of the slab"),
            "a forecast: the kernel patch sigqueue-cache was played beside this kernel's slab"
                .into(),
        ),
        Source::Kernel => (
            format!("{good}{part}{good:#} came from the one-slot cache instead of the slab"),
            format!(
                "as the kernel said at each signal; the forecast would have been {}",
                grouped(total.forecast_cache)
            ),
        ),
        Source::Counters => (
            format!("{good}{part}{good:#} came from the one-slot cache instead of the slab"),
            "by the kernel's own counters".into(),
        ),
    };
    let price = report.price.map_or(String::new(), |price| {
        let in_kernel = price.in_kernel_seconds.map_or("too little to tell".into(), duration);
        format!(
            "\n  the watch took {in_kernel} in the kernel, and {} of our own",
            duration(price.own_seconds)
        )
    });
    format!("\n{says}\n  {basis}{price}\n")
}
