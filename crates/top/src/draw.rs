// SPDX-License-Identifier: MIT
//! The screen.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row as Cells, Table, TableState};
use sigzero_bpf::Price;
use sigzero_number::grouped;

use crate::Setup;
use crate::rows::{Row, Sort};
use crate::state::{Input, State, View};

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const BAR: Style = Style::new().fg(Color::Black).bg(Color::Cyan);

/// What the counting took and missed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    pub price: Price,
    pub age_seconds: f64,
    pub unplaced: u64,
}

pub fn draw(frame: &mut Frame, state: &mut State, setup: &Setup, meter: &Meter) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(3), Constraint::Min(2), Constraint::Length(1)])
            .areas(frame.area());
    draw_head(frame, head, state, setup, meter);
    state.page = usize::from(body.height.saturating_sub(1)).max(1);
    match state.view.clone() {
        View::Table => draw_table(frame, body, state),
        View::Callers { pid, program } => draw_callers(frame, body, state, setup, pid, &program),
        View::Help => frame.render_widget(Paragraph::new(HELP).block(Block::new()), body),
    }
    draw_foot(frame, foot, state);
}

fn draw_head(frame: &mut Frame, area: Rect, state: &State, setup: &Setup, meter: &Meter) {
    let sum = &state.table.sum;
    let seconds = meter.age_seconds.max(0.001);
    let kernel = meter.price.in_kernel.unwrap_or_default().as_secs_f64() / seconds;
    let own = meter.price.own.as_secs_f64() / seconds;
    let paused = if state.paused { "  [paused]" } else { "" };
    let mut last = vec![
        Span::styled("counting takes ", DIM),
        Span::raw(format!("{} in the kernel, {} here", percent(kernel), percent(own))),
    ];
    let lost = meter.price.foreign + meter.price.missed + meter.unplaced;
    if lost > 0 {
        last.push(Span::styled(
            format!("   not counted or not placed: {}", grouped(lost)),
            Style::new().fg(Color::Red),
        ));
    }
    let lines = vec![
        Line::from(vec![
            Span::styled("sigzero top: ", BOLD),
            Span::raw(setup.target.clone()),
            Span::styled(paused, Style::new().fg(Color::Yellow)),
        ]),
        Line::from(vec![
            Span::styled(rate(sum.calls_per_second), BOLD),
            Span::raw(" signal system calls a second, "),
            Span::raw(format!("{} without any change, ", percent(sum.needless))),
            Span::raw(format!("about {} of a processor", percent(sum.share))),
        ]),
        Line::from(last),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_table(frame: &mut Frame, area: Rect, state: &State) {
    let rows = state.shown();
    if rows.is_empty() {
        let text = match state.filter.is_empty() {
            true => "no signal system calls yet",
            false => "nothing matches the filter: F4 changes it, Esc there clears it",
        };
        frame.render_widget(Paragraph::new(Line::styled(text, DIM)), area);
        return;
    }
    let columns: Vec<_> =
        COLUMNS.iter().filter(|column| area.width >= column.from || column.from == 0).collect();
    let titles = columns.iter().map(|column| {
        let mark = match (column.sort == Some(state.sort), state.reverse) {
            (false, _) => "",
            (true, false) => "▼",
            (true, true) => "▲",
        };
        right(&format!("{}{mark}", column.title))
    });
    let program = match (state.sort, state.reverse) {
        (Sort::Program, false) => "PROGRAM▼",
        (Sort::Program, true) => "PROGRAM▲",
        _ => "PROGRAM",
    };
    let titles = titles.chain([Cell::from(program)]);
    let cells = |row: &Row| {
        let ended = if row.ended { " (ended)" } else { "" };
        let cells = columns.iter().map(|column| right(&(column.cell)(row)));
        let cells = cells.chain([Cell::from(printable(&row.program) + ended)]);
        Cells::new(cells).style(if row.ended { DIM } else { Style::new() })
    };
    let widths = columns.iter().map(|column| Constraint::Length(column.width));
    let widths = widths.chain([Constraint::Min(8)]);
    let table = Table::new(rows.iter().map(|row| cells(row)), widths)
        .header(Cells::new(titles).style(BAR))
        .column_spacing(1)
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut place = TableState::default().with_selected(Some(state.selected));
    frame.render_stateful_widget(table, area, &mut place);
}

struct Column {
    title: &'static str,
    width: u16,
    sort: Option<Sort>,
    /// Shown on screens of this width and wider.
    from: u16,
    cell: fn(&Row) -> String,
}

const COLUMNS: &[Column] = &[
    Column { title: "PID", width: 8, sort: Some(Sort::Pid), from: 0, cell: pid },
    Column {
        title: "CALLS/S",
        width: 11,
        sort: Some(Sort::Calls),
        from: 0,
        cell: |row| rate(row.calls_per_second),
    },
    Column {
        title: "TIME%",
        width: 7,
        sort: Some(Sort::Time),
        from: 45,
        cell: |row| percent(row.share),
    },
    Column { title: "NEEDLESS", width: 8, sort: None, from: 55, cell: needless },
    Column {
        title: "MASK/S",
        width: 10,
        sort: None,
        from: 90,
        cell: |row| part(row, row.recent.rt_sigprocmask.total),
    },
    Column {
        title: "ACTION/S",
        width: 9,
        sort: None,
        from: 90,
        cell: |row| part(row, row.recent.rt_sigaction.total),
    },
    Column {
        title: "TOTAL",
        width: 13,
        sort: Some(Sort::Total),
        from: 70,
        cell: |row| grouped(row.total.system_calls()),
    },
];

fn pid(row: &Row) -> String {
    match (row.pid, row.processes) {
        (0, 0 | 1) => "-".into(),
        (0, many) => format!("×{many}"),
        (pid, _) => pid.to_string(),
    }
}

fn needless(row: &Row) -> String {
    if row.recent.system_calls() > 0 { percent(row.needless) } else { String::new() }
}

/// So many of the calls of the last interval, a second.
fn part(row: &Row, calls: u64) -> String {
    match row.recent.system_calls() {
        0 => rate(0.0),
        all => rate(row.calls_per_second * calls as f64 / all as f64),
    }
}

fn draw_callers(
    frame: &mut Frame,
    area: Rect,
    state: &State,
    setup: &Setup,
    pid: u32,
    program: &str,
) {
    let who = match pid {
        0 => printable(program),
        pid => format!("{} ({pid})", printable(program)),
    };
    let total: u64 = state.callers.iter().map(|site| site.counts.system_calls()).sum();
    let title = format!(" who asks in {who}: {} calls since the start ", grouped(total));
    let [list, stack] =
        Layout::vertical([Constraint::Percentage(55), Constraint::Percentage(45)]).areas(area);
    if state.callers.is_empty() {
        let text = match setup.stacks {
            true => "its callers are looked up …",
            false => "callers are not known: it was started with --no-stacks",
        };
        let block = Block::new().borders(Borders::TOP).title(title);
        frame.render_widget(Paragraph::new(Line::styled(text, DIM)).block(block), area);
        return;
    }
    let titles = [right("CALLS"), right("SHARE"), Cell::from("CALL"), Cell::from("CALLED FROM")];
    let rows = state.callers.iter().map(|site| {
        let calls = site.counts.system_calls();
        let source = site.caller.source().map_or(String::new(), |source| format!("  {source}"));
        let place = format!("{} in {}{source}", site.caller.place(), site.caller.module_name());
        Cells::new([
            right(&grouped(calls)),
            right(&percent(calls as f64 / total.max(1) as f64)),
            Cell::from(site.function.clone()),
            Cell::from(printable(&place)),
        ])
    });
    let widths = [
        Constraint::Length(13),
        Constraint::Length(7),
        Constraint::Length(16),
        Constraint::Min(10),
    ];
    let table = Table::new(rows, widths)
        .header(Cells::new(titles).style(BAR))
        .block(Block::new().borders(Borders::TOP).title(title))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut place = TableState::default().with_selected(Some(state.selected_caller));
    frame.render_stateful_widget(table, list, &mut place);

    let site = &state.callers[state.selected_caller.min(state.callers.len() - 1)];
    let whole = if site.stack_whole { "" } else { " (not whole)" };
    let lines: Vec<Line> = site
        .stack
        .iter()
        .map(|frame| {
            let source = frame.source().map_or(String::new(), |source| format!("  {source}"));
            Line::from(vec![
                Span::raw(format!(" {}", printable(&frame.place()))),
                Span::styled(format!("  in {}{source}", printable(frame.module_name())), DIM),
            ])
        })
        .collect();
    let block = Block::new().borders(Borders::TOP).title(format!(" its stack{whole} "));
    frame.render_widget(Paragraph::new(Text::from(lines)).block(block), stack);
}

fn draw_foot(frame: &mut Frame, area: Rect, state: &State) {
    let line = match (state.input, &state.view) {
        (Some(Input::Search), _) => Line::from(vec![
            Span::styled("Search: ", BAR),
            Span::raw(state.search.clone()),
            Span::styled("_   Enter done  F3 next  Esc cancel", DIM),
        ]),
        (Some(Input::Filter), _) => Line::from(vec![
            Span::styled("Filter: ", BAR),
            Span::raw(state.filter.clone()),
            Span::styled("_   Enter done  Esc clear", DIM),
        ]),
        (None, View::Help) => Line::from("any key goes back"),
        (None, View::Callers { .. }) => {
            keys(&[("Esc", "Back"), ("↑↓", "Select"), ("Z", "Pause"), ("F10", "Quit")])
        }
        (None, View::Table) => keys(&[
            ("F1", "Help"),
            ("Enter", "Callers"),
            ("F3", "Search"),
            ("F4", "Filter"),
            ("F5", if state.by_program { "Processes" } else { "Programs" }),
            ("F6", "Sort"),
            ("F10", "Quit"),
        ]),
    };
    frame.render_widget(Paragraph::new(line), area);
}

fn keys(pairs: &[(&str, &str)]) -> Line<'static> {
    let spans = pairs.iter().flat_map(|(key, text)| {
        [Span::raw((*key).to_string()), Span::styled(format!("{text:<7} "), BAR)]
    });
    Line::from(spans.collect::<Vec<_>>())
}

const HELP: &str = "\
 Each line is a process; (ended) those of a program that are gone. Calls a second are those of
 the last interval. TIME% is the share of one processor that these calls take, estimated from
 what such a call costs on this machine. NEEDLESS are those that change nothing.

   ↑ ↓ PgUp PgDn Home End   select            Enter        who asks, and the stacks
   p P c   sort by calls a second             t T          sort by time
   m M     sort by calls since the start      N  A         sort by PID, by program
   F6 > .  the next order                     I r          reverse the order
   F3 /    search, n the next                 F4 \\         filter
   F5 g    processes or programs              Z Space      pause
   Ctrl-Z  suspend                            F10 q Ctrl-C quit
";

fn right(text: &str) -> Cell<'static> {
    Cell::from(Line::from(text.to_string()).right_aligned())
}

/// Names are made by whoever wrote the program: no controls reach the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

pub fn rate(value: f64) -> String {
    match value {
        value if value <= 0.0 => "0".into(),
        value if value < 10.0 => format!("{value:.1}"),
        value => grouped(value.round() as u64),
    }
}

pub fn percent(ratio: f64) -> String {
    match ratio * 100.0 {
        value if value <= 0.0 => "0%".into(),
        value if value < 0.1 => "<0.1%".into(),
        value if value < 10.0 => format!("{value:.1}%"),
        value => format!("{value:.0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use sigzero_model::Cost;
    use std::time::Duration;

    fn screen(width: u16, height: u16, state: &mut State) -> String {
        let setup = Setup {
            target: "the whole machine".into(),
            until_gone: false,
            delay: Duration::from_secs(1),
            sort: Sort::Calls,
            cost: Cost::default(),
            stacks: true,
        };
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state, &setup, &Meter::default())).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn every_size_can_be_drawn() {
        let mut state = State::new(Sort::Calls);
        let row = Row {
            pid: 7,
            program: "evil\u{1b}[2J".into(),
            calls_per_second: 1234.0,
            ..Row::default()
        };
        state.set_table(crate::rows::Table { rows: vec![row], sum: Row::default() });
        let text = screen(100, 20, &mut state);
        assert!(text.contains("1,234") && text.contains("evil\u{fffd}[2J"), "{text}");
        assert!(text.contains("CALLS/S▼") && text.contains("F10"), "{text}");
        for view in [View::Table, View::Help, View::Callers { pid: 7, program: "x".into() }] {
            state.view = view;
            for (width, height) in [(1, 1), (5, 3), (20, 4), (40, 10), (300, 100)] {
                screen(width, height, &mut state);
            }
        }
    }

    #[test]
    fn numbers_fit_their_columns() {
        assert_eq!((grouped(0).as_str(), grouped(1_234_567).as_str()), ("0", "1,234,567"));
        assert_eq!((rate(0.04).as_str(), rate(12.4).as_str()), ("0.0", "12"));
        assert_eq!((percent(0.0), percent(0.0004).as_str()), ("0%".into(), "<0.1%"));
        assert_eq!((percent(0.034).as_str(), percent(0.5).as_str()), ("3.4%", "50%"));
    }
}
