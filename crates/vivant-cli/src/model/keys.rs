//! The effect of each key.

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
            Key::Tab => self.page = self.page.shifted(1),
            Key::BackTab => self.page = self.page.shifted(Page::ALL.len() - 1),
            Key::Char('s') => self.sort_by_next(),
            Key::Char('/') => {
                self.page = Page::Actors;
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

    fn sort_by_next(&mut self) {
        // The other pages do not show it.
        if self.page == Page::Actors {
            self.sort = self.sort.next();
        }
        self.page = Page::Actors;
        self.choose(0);
    }

    fn set_filter(&mut self, filter: String) {
        self.filter = filter;
        self.choose_again();
    }

    fn enter(&mut self) {
        match self.page {
            Page::Home => self.page = Page::Actors,
            Page::Actors => {
                let path = self
                    .rows()
                    .get(self.chosen_at)
                    .map(|row| row.facts.actor.clone());
                if let Some(path) = path {
                    self.focus = Focus::Detail(path);
                }
            }
            Page::Reports => {}
        }
    }

    fn step(&mut self, by: isize) {
        let moved =
            |at: usize, count: usize| at.saturating_add_signed(by).min(count.saturating_sub(1));
        match self.page {
            Page::Home => {}
            Page::Actors => self.choose(moved(self.chosen_at, self.rows().len())),
            Page::Reports => {
                self.reports_above = moved(self.reports_above, self.look.reports.len());
            }
        }
    }
}
