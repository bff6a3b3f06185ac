//! The effect of each key.

use super::column::List;
use super::{Focus, Model, Pace, Page};

/// A key that has an effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Tab,
    BackTab,
    Enter,
    Esc,
    Backspace,
    /// Ends the program on every page.
    Interrupt,
}

/// The caller's next action after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Draw,
    /// Take one snapshot now.
    Look,
    /// Take snapshots from now on, or none.
    Keep(Pace),
    Quit,
}

/// Number of rows that the page keys move.
const PAGE_ROWS: isize = 10;

/// A longer filter is pasted by accident, not typed.
const FILTER_CHARS_MAX: usize = 100;

impl Model {
    /// A key was pressed.
    pub(crate) fn press(&mut self, key: Key) -> Next {
        if key == Key::Interrupt {
            return Next::Quit;
        }
        match self.focus {
            Focus::Page => self.press_on_page(key),
            Focus::Filter => self.press_in_filter(key),
            Focus::Detail(_) | Focus::Help => match key {
                Key::Char('q') => Next::Quit,
                Key::Char('p') => self.turn_pace(),
                Key::Char('n') if self.pace == Pace::Paused => Next::Look,
                Key::Esc | Key::Enter | Key::Backspace | Key::Char('?') => {
                    self.focus = Focus::Page;
                    Next::Draw
                }
                _ => Next::Draw,
            },
        }
    }

    fn press_on_page(&mut self, key: Key) -> Next {
        match key {
            Key::Char('q') => return Next::Quit,
            Key::Char('p') => return self.turn_pace(),
            Key::Char('n') if self.pace == Pace::Paused => return Next::Look,
            Key::Char('?') => self.focus = Focus::Help,
            Key::Tab => self.go_to(self.page.shifted(1)),
            Key::BackTab => self.go_to(self.page.shifted(Page::ALL.len() - 1)),
            Key::Char(digit @ '1'..='9') => {
                let number = digit as usize - '1' as usize;
                if let Some(page) = Page::ALL.get(number) {
                    self.go_to(*page);
                }
            }
            Key::Char('s') => self.sort_by_next(),
            Key::Char('/') => {
                if matches!(self.page, Page::Home | Page::Reports) {
                    self.go_to(Page::Actors);
                }
                self.focus = Focus::Filter;
            }
            Key::Esc => self.set_filter(String::new()),
            Key::Enter => self.enter(),
            Key::Up | Key::Char('k') => self.step(-1),
            Key::Down | Key::Char('j') => self.step(1),
            Key::PageUp => self.step(-PAGE_ROWS),
            Key::PageDown => self.step(PAGE_ROWS),
            Key::First | Key::Char('g') => self.step(isize::MIN),
            Key::Last | Key::Char('G') => self.step(isize::MAX),
            _ => {}
        }
        Next::Draw
    }

    fn press_in_filter(&mut self, key: Key) -> Next {
        match key {
            Key::Char(c) if self.filter.chars().count() < FILTER_CHARS_MAX => {
                self.set_filter(format!("{}{c}", self.filter));
            }
            Key::Backspace => {
                let mut filter = self.filter.clone();
                filter.pop();
                self.set_filter(filter);
            }
            Key::Esc => {
                self.set_filter(String::new());
                self.focus = Focus::Page;
            }
            Key::Enter | Key::Tab => self.focus = Focus::Page,
            Key::Up => self.step(-1),
            Key::Down => self.step(1),
            _ => {}
        }
        Next::Draw
    }

    fn turn_pace(&mut self) -> Next {
        self.pace = match self.pace {
            Pace::Running => Pace::Paused,
            Pace::Paused => Pace::Running,
        };
        Next::Keep(self.pace)
    }

    fn go_to(&mut self, page: Page) {
        self.page = page;
        // The lists have different rows.
        self.choose_again();
    }

    fn sort_by_next(&mut self) {
        match self.page.list() {
            Some(List::Actors) => self.sort = List::Actors.after(self.sort),
            Some(List::Heaps) => self.heap_sort = List::Heaps.after(self.heap_sort),
            // The other pages do not show the column.
            None => self.page = Page::Actors,
        }
        self.choose(0);
    }

    fn set_filter(&mut self, filter: String) {
        self.filter = filter;
        self.choose_again();
    }

    fn enter(&mut self) {
        let path = match self.page {
            Page::Home => {
                self.go_to(Page::Actors);
                None
            }
            Page::Actors | Page::Heaps => {
                let rows = self.rows();
                rows.get(self.chosen_at).map(|row| row.facts.actor.clone())
            }
            Page::Waits => {
                let waits = self.waits();
                let line = waits.get(self.wait_at());
                line.and_then(|line| line.actor().map(str::to_owned))
            }
            Page::Reports => None,
        };
        if let Some(path) = path {
            self.focus = Focus::Detail(path);
        }
    }

    fn step(&mut self, by: isize) {
        let moved =
            |at: usize, count: usize| at.saturating_add_signed(by).min(count.saturating_sub(1));
        match self.page {
            Page::Home => {}
            Page::Actors | Page::Heaps => self.choose(moved(self.chosen_at, self.rows().len())),
            Page::Waits => self.wait_at = moved(self.wait_at(), self.waits().len()),
            Page::Reports => {
                self.reports_above = moved(self.reports_above, self.look.reports.len());
            }
        }
    }
}
