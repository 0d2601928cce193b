// SPDX-License-Identifier: MIT
//! What the screen shows, and what a key does to it. No terminal here.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sigzero_model::Site;

use crate::rows::{Row, Sort, Table, sort};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    Table,
    /// Callers of the process, or of the program if the number is 0.
    Callers {
        pid: u32,
        program: String,
    },
    Help,
}

/// What is typed into the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Search,
    Filter,
}

/// What a key asks of the surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    /// Look again at once: other things are shown now.
    Look,
    Quit,
    /// Ctrl-Z.
    Suspend,
}

pub struct State {
    pub view: View,
    pub table: Table,
    /// Of the process that is looked into, most calls first.
    pub callers: Vec<Site>,
    pub sort: Sort,
    pub reverse: bool,
    pub by_program: bool,
    pub paused: bool,
    pub input: Option<Input>,
    pub search: String,
    pub filter: String,
    pub selected: usize,
    pub selected_caller: usize,
    /// Lines that fit, for a page up or down.
    pub page: usize,
    /// Follows the selected process when the order changes.
    marked: Option<(u32, String)>,
}

impl State {
    pub fn new(sort: Sort) -> Self {
        Self {
            view: View::Table,
            table: Table::default(),
            callers: Vec::new(),
            sort,
            reverse: false,
            by_program: false,
            paused: false,
            input: None,
            search: String::new(),
            filter: String::new(),
            selected: 0,
            selected_caller: 0,
            page: 10,
            marked: None,
        }
    }

    /// The rows that pass the filter, in order.
    pub fn shown(&self) -> Vec<&Row> {
        self.table.rows.iter().filter(|row| matches(row, &self.filter)).collect()
    }

    pub fn set_table(&mut self, table: Table) {
        self.table = table;
        self.order();
    }

    pub fn set_callers(&mut self, callers: Vec<Site>) {
        self.callers = callers;
        self.selected_caller = self.selected_caller.min(self.callers.len().saturating_sub(1));
    }

    fn order(&mut self) {
        sort(&mut self.table.rows, self.sort, self.reverse);
        let shown = self.shown();
        let place = self.marked.as_ref().and_then(|(pid, program)| {
            shown.iter().position(|row| row.pid == *pid && row.program == *program)
        });
        let last = shown.len().saturating_sub(1);
        self.selected = place.unwrap_or(self.selected).min(last);
    }

    fn select(&mut self, place: usize) {
        let shown = self.shown();
        let place = place.min(shown.len().saturating_sub(1));
        let marked = shown.get(place).map(|row| (row.pid, row.program.clone()));
        self.selected = place;
        // On the first line one looks at whoever is first.
        self.marked = marked.filter(|_| place > 0);
    }

    pub fn key(&mut self, key: KeyEvent) -> Wish {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Wish::Quit,
                KeyCode::Char('z') => Wish::Suspend,
                KeyCode::Char('l') => Wish::Look,
                _ => Wish::Nothing,
            };
        }
        if let Some(input) = self.input {
            self.typed(input, key.code);
            return Wish::Nothing;
        }
        match &self.view {
            View::Help => {
                self.view = View::Table;
                Wish::Nothing
            }
            View::Callers { .. } => self.key_in_callers(key.code),
            View::Table => self.key_in_table(key.code),
        }
    }

    fn typed(&mut self, input: Input, code: KeyCode) {
        let text = match input {
            Input::Search => &mut self.search,
            Input::Filter => &mut self.filter,
        };
        match code {
            KeyCode::Enter => self.input = None,
            KeyCode::Esc => {
                text.clear();
                self.input = None;
            }
            KeyCode::Backspace => drop(text.pop()),
            KeyCode::Char(letter) => text.push(letter),
            // The next match, as htop has it.
            KeyCode::F(3) if input == Input::Search => return self.find(self.selected + 1),
            _ => {}
        }
        match input {
            Input::Search if self.input.is_some() => self.find(self.selected),
            Input::Search => {}
            Input::Filter => self.order(),
        }
    }

    /// Selects the first match from there on, and from the start again.
    fn find(&mut self, from: usize) {
        if self.search.is_empty() {
            return;
        }
        let shown = self.shown();
        let places = (0..shown.len()).map(|place| (from + place) % shown.len());
        let found = places.into_iter().find(|place| matches(shown[*place], &self.search));
        if let Some(place) = found {
            self.select(place);
        }
    }

    fn key_in_table(&mut self, code: KeyCode) -> Wish {
        match code {
            KeyCode::F(10) | KeyCode::Char('q') => return Wish::Quit,
            KeyCode::F(1) | KeyCode::Char('h' | '?') => self.view = View::Help,
            KeyCode::F(3) | KeyCode::Char('/') => self.input = Some(Input::Search),
            KeyCode::F(4) | KeyCode::Char('\\') => self.input = Some(Input::Filter),
            KeyCode::Char('n') => self.find(self.selected + 1),
            KeyCode::F(5) | KeyCode::Char('g') => {
                self.by_program = !self.by_program;
                return Wish::Look;
            }
            KeyCode::F(6) | KeyCode::Char('>' | '.') => self.sort_by(self.sort.next()),
            KeyCode::Char('p' | 'P' | 'c') => self.sort_by(Sort::Calls),
            KeyCode::Char('t' | 'T') => self.sort_by(Sort::Time),
            KeyCode::Char('m' | 'M') => self.sort_by(Sort::Total),
            KeyCode::Char('N') => self.sort_by(Sort::Pid),
            KeyCode::Char('A') => self.sort_by(Sort::Program),
            KeyCode::Char('I' | 'r') => {
                self.reverse = !self.reverse;
                self.order();
            }
            KeyCode::Char('Z' | ' ') => self.paused = !self.paused,
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::PageUp => self.select(self.selected.saturating_sub(self.page)),
            KeyCode::PageDown => self.select(self.selected + self.page),
            KeyCode::Home => self.select(0),
            KeyCode::End => self.select(usize::MAX),
            KeyCode::Enter | KeyCode::F(2) => {
                let row = self.shown().get(self.selected).map(|row| (row.pid, row.program.clone()));
                if let Some((pid, program)) = row {
                    self.view = View::Callers { pid, program };
                    self.callers.clear();
                    self.selected_caller = 0;
                    return Wish::Look;
                }
            }
            _ => {}
        }
        Wish::Nothing
    }

    fn key_in_callers(&mut self, code: KeyCode) -> Wish {
        let last = self.callers.len().saturating_sub(1);
        match code {
            KeyCode::F(10) => return Wish::Quit,
            KeyCode::Esc | KeyCode::Left | KeyCode::Enter | KeyCode::Char('q') => {
                self.view = View::Table;
            }
            KeyCode::F(1) | KeyCode::Char('h' | '?') => self.view = View::Help,
            KeyCode::Char('Z' | ' ') => self.paused = !self.paused,
            KeyCode::Up => self.selected_caller = self.selected_caller.saturating_sub(1),
            KeyCode::Down => self.selected_caller = (self.selected_caller + 1).min(last),
            KeyCode::PageUp => {
                self.selected_caller = self.selected_caller.saturating_sub(self.page);
            }
            KeyCode::PageDown => {
                self.selected_caller = (self.selected_caller + self.page).min(last)
            }
            KeyCode::Home => self.selected_caller = 0,
            KeyCode::End => self.selected_caller = last,
            _ => {}
        }
        Wish::Nothing
    }

    fn sort_by(&mut self, by: Sort) {
        self.sort = by;
        self.reverse = false;
        self.order();
    }
}

fn matches(row: &Row, text: &str) -> bool {
    let text = text.to_lowercase();
    text.is_empty() || row.program.to_lowercase().contains(&text) || row.pid.to_string() == text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let mut state = State::new(Sort::Calls);
        let row = |pid, program: &str, calls_per_second, share| Row {
            pid,
            program: program.into(),
            calls_per_second,
            share,
            ..Row::default()
        };
        let rows =
            vec![row(10, "zsh", 5.0, 0.9), row(11, "bash", 9.0, 0.1), row(12, "perl", 1.0, 0.5)];
        state.set_table(Table { rows, sum: Row::default() });
        state
    }

    fn press(state: &mut State, codes: &[KeyCode]) -> Wish {
        let mut wish = Wish::Nothing;
        for code in codes {
            wish = state.key(KeyEvent::new(*code, KeyModifiers::NONE));
        }
        wish
    }

    fn order(state: &State) -> Vec<&str> {
        state.shown().iter().map(|row| row.program.as_str()).collect()
    }

    use KeyCode::{Char, Down, Enter, Esc, F};

    #[test]
    fn letters_choose_the_order() {
        let mut state = state();
        assert_eq!(order(&state), ["bash", "zsh", "perl"]);
        press(&mut state, &[Char('t')]);
        assert_eq!(order(&state), ["zsh", "perl", "bash"]);
        press(&mut state, &[Char('I')]);
        assert_eq!(order(&state), ["bash", "perl", "zsh"]);
        press(&mut state, &[Char('p')]);
        assert_eq!(order(&state), ["bash", "zsh", "perl"]);
        press(&mut state, &[Char('N')]);
        assert_eq!(order(&state), ["zsh", "bash", "perl"]);
        press(&mut state, &[F(6)]);
        assert_eq!(state.sort, Sort::Program);
    }

    #[test]
    fn the_selected_process_stays_selected() {
        let mut state = state();
        press(&mut state, &[Down]);
        assert_eq!(state.shown()[state.selected].program, "zsh");
        press(&mut state, &[Char('A')]);
        assert_eq!((state.selected, state.shown()[2].program.as_str()), (2, "zsh"));
        press(&mut state, &[KeyCode::Home, Char('p')]);
        assert_eq!(state.selected, 0);
    }

    #[test]
    fn search_selects_and_filter_hides() {
        let mut state = state();
        press(&mut state, &[Char('/'), Char('P'), Char('e')]);
        assert_eq!(state.shown()[state.selected].program, "perl");
        press(&mut state, &[Enter]);
        assert_eq!(state.input, None);
        press(&mut state, &[Char('\\'), Char('s'), Char('h')]);
        assert_eq!(order(&state), ["bash", "zsh"]);
        // Letters are text while a text is typed.
        assert_eq!(press(&mut state, &[Char('q')]), Wish::Nothing);
        assert!(order(&state).is_empty() && state.selected == 0);
        press(&mut state, &[Esc]);
        assert_eq!(order(&state).len(), 3);
        press(&mut state, &[Char('/'), Char('1'), Char('2'), Enter]);
        assert_eq!(state.shown()[state.selected].pid, 12);
    }

    #[test]
    fn callers_are_those_of_the_selected_process() {
        let mut state = state();
        assert_eq!(press(&mut state, &[Down, Enter]), Wish::Look);
        assert_eq!(state.view, View::Callers { pid: 10, program: "zsh".into() });
        assert_eq!(press(&mut state, &[Char('q')]), Wish::Nothing);
        assert_eq!(state.view, View::Table);
        press(&mut state, &[F(1)]);
        assert_eq!(state.view, View::Help);
        press(&mut state, &[Esc]);
        assert_eq!(press(&mut state, &[F(10)]), Wish::Quit);
        let control = KeyEvent::new(Char('c'), KeyModifiers::CONTROL);
        assert_eq!(state.key(control), Wish::Quit);
    }

    #[test]
    fn an_empty_table_has_no_callers() {
        let mut state = State::new(Sort::Calls);
        assert_eq!(press(&mut state, &[Down, Enter, KeyCode::End]), Wish::Nothing);
        assert_eq!(state.view, View::Table);
    }
}
