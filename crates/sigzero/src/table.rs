// SPDX-License-Identifier: MIT
//! Tables for the terminal: names to the left, numbers to the right, and no column in
//! which there is nothing to see.

use std::fmt::Write;

use anstyle::Style;
use comfy_table::{Cell, CellAlignment, Table, presets};

use crate::number::grouped;

/// How long the name of a caller may be; those of C++ and Rust have no bound of their own.
const PLACE: usize = 60;
const PLACE_END: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

pub struct Column {
    pub title: &'static str,
    pub align: Align,
    pub cells: Vec<String>,
}

impl Column {
    pub fn left(title: &'static str, cells: Vec<String>) -> Self {
        Self { title, align: Align::Left, cells }
    }

    pub fn right(title: &'static str, cells: Vec<String>) -> Self {
        Self { title, align: Align::Right, cells }
    }

    fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_empty() || cell == "0")
    }
}

/// Lays the columns out under `heading`. With `total`, the last row stands out.
pub fn render(heading: &str, columns: Vec<Column>, total: bool) -> String {
    let columns: Vec<_> = columns.into_iter().filter(|column| !column.is_empty()).collect();
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(columns.iter().map(|column| cell(column, column.title)));
    for row in 0..rows {
        table.add_row(columns.iter().map(|column| cell(column, &column.cells[row])));
    }
    style(heading, &table.trim_fmt(), total)
}

fn cell(column: &Column, text: &str) -> Cell {
    let align = match column.align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    };
    Cell::new(text).set_alignment(align)
}

fn style(heading: &str, table: &str, total: bool) -> String {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let mut text = format!("\n{bold}{heading}{bold:#}\n");
    let last = table.lines().count() - 1;
    for (index, line) in table.lines().enumerate() {
        let style = match index {
            0 => dim,
            index if total && index == last => bold,
            _ => Style::new(),
        };
        let _ = writeln!(text, " {style}{line}{style:#}");
    }
    text
}

/// As many rows as `--top` asks for.
pub fn first<T>(rows: &[T], top: usize) -> &[T] {
    if top == 0 { rows } else { &rows[..top.min(rows.len())] }
}

/// The heading, with how to see the rows that are not shown.
pub fn limited(heading: &str, shown: usize, all: usize) -> String {
    if shown == all {
        return heading.into();
    }
    format!("{heading} (top {shown} of {}, more with --top)", grouped(all as u64))
}

/// The start and the end of a name too long for a table.
pub fn shortened(place: &str) -> String {
    let letters: Vec<char> = place.chars().collect();
    if letters.len() <= PLACE {
        return place.into();
    }
    let start: String = letters[..PLACE - PLACE_END - 1].iter().collect();
    let end: String = letters[letters.len() - PLACE_END..].iter().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_zeros_are_left_out() {
        let cells = |words: [&str; 2]| words.map(String::from).to_vec();
        let columns = vec![
            Column::left("name", cells(["a", "total"])),
            Column::right("calls", cells(["1,000", "1,000"])),
            Column::right("nothing", cells(["0", "0"])),
        ];
        let text = anstream::adapter::strip_str(&render("Heading", columns, true)).to_string();
        assert_eq!(text, "\nHeading\n  name   calls\n  a      1,000\n  total  1,000\n");
    }
}
