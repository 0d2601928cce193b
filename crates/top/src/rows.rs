// SPDX-License-Identifier: MIT
//! What the table shows, made from two looks at the counts.

use std::collections::HashMap;
use std::time::Duration;

use sigzero_bpf::{Snapshot, names};
use sigzero_model::{Cost, Counts, program_name};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Calls a second.
    #[default]
    Calls,
    /// Time in these calls, estimated.
    Time,
    /// Calls since the start.
    Total,
    Pid,
    Program,
}

impl Sort {
    pub const ALL: [Self; 5] = [Self::Calls, Self::Time, Self::Total, Self::Pid, Self::Program];

    pub fn next(self) -> Self {
        let place = Self::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }
}

/// One process, or all processes of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// 0 for the processes of a program together.
    pub pid: u32,
    pub program: String,
    /// Those that are added up here.
    pub processes: u32,
    /// They have ended.
    pub ended: bool,
    /// Since the look before.
    pub recent: Counts,
    pub total: Counts,
    pub calls_per_second: f64,
    /// Share of one processor, estimated from the price of a call.
    pub share: f64,
    /// Calls of `recent` that change nothing, from 0 to 1.
    pub needless: f64,
}

/// All rows of one look.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub rows: Vec<Row>,
    pub sum: Row,
}

/// Remembers the look before.
#[derive(Default)]
pub struct Looks {
    images: HashMap<u32, Counts>,
    programs: HashMap<String, Counts>,
    age: Duration,
}

impl Looks {
    pub fn look(&mut self, snapshot: &Snapshot, cost: &Cost, by_program: bool) -> Table {
        let mut images: HashMap<u32, Counts> = HashMap::new();
        for (tally, calls) in &snapshot.tallies {
            *images.entry(tally.image).or_default() += names::counts(tally, *calls);
        }
        let seconds = snapshot.age.saturating_sub(self.age).as_secs_f64().max(0.001);
        let mut programs: HashMap<String, Counts> = HashMap::new();
        let mut running: Vec<Row> = Vec::new();
        let mut rest: HashMap<String, (Row, Counts)> = HashMap::new();
        for (number, counts) in &images {
            let image = snapshot.images.get(number);
            let program: String =
                image.and_then(|image| program_name(&image.executable)).unwrap_or("?").into();
            *programs.entry(program.clone()).or_default() += *counts;
            let before = self.images.get(number).copied().unwrap_or_default();
            let recent = difference(counts, &before);
            let runs = snapshot.running.contains(number);
            let pid = image.map_or(0, |image| image.process);
            if runs && !by_program {
                let row =
                    Row { pid, program, processes: 1, recent, total: *counts, ..Row::default() };
                running.push(row);
                continue;
            }
            let (row, known) = rest.entry(program.clone()).or_insert_with(|| {
                (Row { program, ended: true, ..Row::default() }, Counts::default())
            });
            row.ended &= !runs;
            row.processes += u32::from(pid != 0);
            row.total += *counts;
            *known += recent;
        }
        // What ended is moved from one image to another now and then: of a program it is still true.
        let mut of_running: HashMap<&str, Counts> = HashMap::new();
        for row in &running {
            *of_running.entry(&row.program).or_default() += row.recent;
        }
        let mut rows: Vec<Row> = Vec::new();
        for (program, (row, _)) in rest {
            let before = self.programs.get(&program).copied().unwrap_or_default();
            let all = difference(&programs[&program], &before);
            let others = of_running.get(program.as_str()).copied().unwrap_or_default();
            rows.push(Row { recent: difference(&all, &others), ..row });
        }
        rows.extend(running);
        rows.iter_mut().for_each(|row| row.finish(seconds, cost));
        let mut sum = Row::default();
        for row in &rows {
            sum.recent += row.recent;
            sum.total += row.total;
        }
        sum.processes = snapshot.running.len() as u32;
        sum.finish(seconds, cost);
        self.images = images;
        self.programs = programs;
        self.age = snapshot.age;
        Table { rows, sum }
    }
}

impl Row {
    fn finish(&mut self, seconds: f64, cost: &Cost) {
        let calls = self.recent.system_calls();
        self.calls_per_second = calls as f64 / seconds;
        self.share = cost.of_all(&self.recent).seconds / seconds;
        self.needless = (self.recent.queries() + self.recent.same()) as f64 / calls.max(1) as f64;
    }
}

/// The most first, names and numbers from the lowest; `reverse` turns that round.
pub fn sort(rows: &mut [Row], by: Sort, reverse: bool) {
    rows.sort_by(|a, b| {
        let order = match by {
            Sort::Calls => b.calls_per_second.total_cmp(&a.calls_per_second),
            Sort::Time => b.share.total_cmp(&a.share),
            Sort::Total => b.total.system_calls().cmp(&a.total.system_calls()),
            Sort::Pid => a.pid.cmp(&b.pid),
            Sort::Program => a.program.cmp(&b.program),
        };
        let order = if reverse { order.reverse() } else { order };
        let total = |row: &Row| std::cmp::Reverse(row.total.system_calls());
        order
            .then_with(|| total(a).cmp(&total(b)))
            .then_with(|| (&a.program, a.pid).cmp(&(&b.program, b.pid)))
    });
}

/// What was added; nothing where counts were moved away.
fn difference(now: &Counts, before: &Counts) -> Counts {
    let mut left = *now;
    let take = |now: &mut u64, before: u64| *now = now.saturating_sub(before);
    take(&mut left.calls, before.calls);
    take(&mut left.other, before.other);
    let (mask, old) = (&mut left.rt_sigprocmask, &before.rt_sigprocmask);
    for (now, before) in [
        (&mut mask.total, old.total),
        (&mut mask.query, old.query),
        (&mut mask.same, old.same),
        (&mut mask.block, old.block),
        (&mut mask.unblock, old.unblock),
        (&mut mask.restore, old.restore),
        (&mut mask.replace, old.replace),
        (&mut mask.failed, old.failed),
        (&mut mask.needless, old.needless),
    ] {
        take(now, before);
    }
    let (action, old) = (&mut left.rt_sigaction, &before.rt_sigaction);
    for (now, before) in [
        (&mut action.total, old.total),
        (&mut action.query, old.query),
        (&mut action.same, old.same),
        (&mut action.set, old.set),
        (&mut action.failed, old.failed),
        (&mut action.needless, old.needless),
    ] {
        take(now, before);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigzero_bpf::Kind;
    use sigzero_bpf::trace::{Image, Reach, Tally};

    fn snapshot(age: u64, images: &[(u32, u32, &str, u64, bool)]) -> Snapshot {
        let mut snapshot = Snapshot { age: Duration::from_secs(age), ..Snapshot::default() };
        for (number, process, executable, calls, runs) in images {
            let executable = (*executable).to_string();
            snapshot
                .images
                .insert(*number, Image { process: *process, executable, ..Image::default() });
            let tally = Tally {
                image: *number,
                call: "rt_sigprocmask",
                kind: Kind::Query,
                stack: Vec::new(),
                reach: Reach::None,
                guess: false,
            };
            snapshot.tallies.insert(tally, *calls);
            if *runs {
                snapshot.running.insert(*number);
            }
        }
        snapshot
    }

    fn rate(table: &Table, pid: u32, program: &str) -> f64 {
        let found = table.rows.iter().find(|row| row.pid == pid && row.program == program);
        found.unwrap_or_else(|| panic!("{pid} {program}: {:?}", table.rows)).calls_per_second
    }

    #[test]
    fn rates_are_of_the_time_between_two_looks() {
        let (mut looks, cost) = (Looks::default(), Cost::default());
        looks.look(&snapshot(1, &[(1, 11, "/bin/a", 100, true)]), &cost, false);
        let table = looks.look(&snapshot(3, &[(1, 11, "/bin/a", 500, true)]), &cost, false);
        assert_eq!(rate(&table, 11, "a"), 200.0);
        assert_eq!((table.sum.calls_per_second, table.sum.needless), (200.0, 1.0));
    }

    #[test]
    fn what_is_folded_makes_no_rate() {
        let (mut looks, cost) = (Looks::default(), Cost::default());
        let first = [(1, 11, "/bin/a", 100, true), (2, 12, "/bin/a", 1000, false)];
        looks.look(&snapshot(1, &first), &cost, false);
        let folded = [(1, 11, "/bin/a", 110, true), (1 << 31, 0, "/bin/a", 1000, false)];
        let table = looks.look(&snapshot(2, &folded), &cost, false);
        assert_eq!(rate(&table, 0, "a"), 0.0);
        assert_eq!((rate(&table, 11, "a"), table.sum.calls_per_second), (10.0, 10.0));
        assert_eq!(table.sum.total.system_calls(), 1110);
    }

    #[test]
    fn processes_of_a_program_are_added_up() {
        let (mut looks, cost) = (Looks::default(), Cost::default());
        looks.look(&snapshot(0, &[]), &cost, true);
        let both = [(1, 11, "/bin/a", 10, true), (2, 12, "/bin/a", 20, false)];
        let table = looks.look(&snapshot(1, &both), &cost, true);
        assert_eq!((table.rows.len(), rate(&table, 0, "a")), (1, 30.0));
        assert_eq!((table.rows[0].processes, table.rows[0].ended), (2, false));
    }

    #[test]
    fn rows_are_sorted_either_way() {
        let mut rows: Vec<_> = [(3, 5.0), (1, 9.0), (2, 7.0)]
            .map(|(pid, calls_per_second)| Row { pid, calls_per_second, ..Row::default() })
            .into();
        let pids = |rows: &[Row]| rows.iter().map(|row| row.pid).collect::<Vec<_>>();
        sort(&mut rows, Sort::Calls, false);
        assert_eq!(pids(&rows), [1, 2, 3]);
        sort(&mut rows, Sort::Pid, true);
        assert_eq!(pids(&rows), [3, 2, 1]);
        assert_eq!(Sort::Program.next(), Sort::Calls);
    }
}
