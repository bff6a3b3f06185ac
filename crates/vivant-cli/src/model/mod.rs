//! The state of the screen, and the effect of a key on it: pure, without a terminal or a clock.
//!
//! - [`look`]: two snapshots become rows with rates.
//! - [`column`]: the lists of actors, and the columns by which they are sorted.
//! - [`waits`]: which actor waits for which.
//! - [`home`]: the five of each list on the first page.
//! - [`figure`]: numbers as text.
//! - [`Model`]: all of it, and [`Model::press`].

pub(crate) mod column;
pub(crate) mod figure;
pub(crate) mod home;
pub(crate) mod keys;
pub(crate) mod look;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
pub(crate) mod waits;

use column::{Column, List};
use look::{Look, Row};
use vivant_console::wire::Snapshot;
use waits::WaitLine;

/// The pages, in the order of `Tab`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Home,
    Actors,
    Heaps,
    Waits,
    Reports,
}

impl Page {
    pub(crate) const ALL: [Page; 5] = [
        Page::Home,
        Page::Actors,
        Page::Heaps,
        Page::Waits,
        Page::Reports,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Page::Home => "Home",
            Page::Actors => "Actors",
            Page::Heaps => "Heaps",
            Page::Waits => "Waits",
            Page::Reports => "Reports",
        }
    }

    /// The list of actors that the page shows.
    pub(crate) fn list(self) -> Option<List> {
        match self {
            Page::Actors => Some(List::Actors),
            Page::Heaps => Some(List::Heaps),
            Page::Home | Page::Waits | Page::Reports => None,
        }
    }

    fn shifted(self, by: usize) -> Page {
        Page::ALL[(self as usize + by) % Page::ALL.len()]
    }
}

/// The part of the screen that gets the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Page,
    /// The filter is being typed.
    Filter,
    /// The page of the actor with this path.
    Detail(String),
    Help,
}

/// Whether snapshots are taken periodically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    Running,
    Paused,
}

/// The state of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Live,
    /// Why the last snapshot failed. The connection is tried again.
    Lost(String),
}

/// The whole state of the screen.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The system's name, and the interval between snapshots.
    pub(crate) title: String,
    pub(crate) page: Page,
    pub(crate) focus: Focus,
    pub(crate) pace: Pace,
    pub(crate) link: Link,
    /// The column by which the list of mailboxes is sorted, and that of heaps.
    sort: Column,
    heap_sort: Column,
    pub(crate) filter: String,
    pub(crate) look: Look,
    /// The chosen actor, by its path: the choice stays when the order changes. `None` is the first
    /// row.
    chosen: Option<String>,
    /// Its row.
    chosen_at: usize,
    /// The chosen line of the waits.
    wait_at: usize,
    /// The number of newest reports that are scrolled out above the screen.
    pub(crate) reports_above: usize,
    before: Option<Snapshot>,
}

impl Model {
    pub(crate) fn new(title: impl Into<String>, pace: Pace) -> Model {
        Model {
            title: title.into(),
            page: Page::Home,
            focus: Focus::Page,
            pace,
            link: Link::Live,
            sort: Column::Busy,
            heap_sort: Column::Live,
            filter: String::new(),
            look: Look::default(),
            chosen: None,
            chosen_at: 0,
            wait_at: 0,
            reports_above: 0,
            before: None,
        }
    }

    /// Stores a new snapshot.
    pub(crate) fn looked(&mut self, snapshot: Snapshot) {
        self.look = Look::between(self.before.as_ref(), &snapshot);
        self.before = Some(snapshot);
        self.link = Link::Live;
        self.choose_again();
    }

    /// A snapshot failed. The last screen stays. Rates begin anew, because another program may
    /// answer next.
    pub(crate) fn lost(&mut self, why: impl Into<String>) {
        self.before = None;
        self.link = Link::Lost(why.into());
    }

    /// The list on which keys act: that of this page, or that of all actors.
    fn list(&self) -> List {
        self.page.list().unwrap_or(List::Actors)
    }

    /// The column by which a list is sorted.
    pub(crate) fn sort(&self, list: List) -> Column {
        match list {
            List::Actors => self.sort,
            List::Heaps => self.heap_sort,
        }
    }

    /// The actors of this page's list that pass the filter, in the order of the column.
    pub(crate) fn rows(&self) -> Vec<&Row> {
        let list = self.list();
        self.look.rows(list, self.sort(list), &self.filter)
    }

    /// The waits that pass the filter.
    pub(crate) fn waits(&self) -> Vec<&WaitLine> {
        self.look.waits(&self.filter)
    }

    /// The chosen wait's index in [`Model::waits`]: the line stays when waits begin or end.
    pub(crate) fn wait_at(&self) -> usize {
        self.wait_at.min(self.waits().len().saturating_sub(1))
    }

    /// The chosen actor's index in [`Model::rows`].
    pub(crate) fn chosen_at(&self) -> usize {
        self.chosen_at
    }

    /// The actor of the detail page; `None` if it has ended.
    pub(crate) fn detail(&self, path: &str) -> Option<&Row> {
        self.look.rows.iter().find(|row| row.facts.actor == path)
    }

    /// Finds the chosen actor in the current list; if it is gone, chooses the actor at its row.
    fn choose_again(&mut self) {
        let rows = self.rows();
        let same = |row: &&Row| Some(&row.facts.actor) == self.chosen.as_ref();
        match rows.iter().position(same) {
            Some(at) => self.chosen_at = at,
            None => self.choose(self.chosen_at),
        }
    }

    fn choose(&mut self, at: usize) {
        let rows = self.rows();
        let at = at.min(rows.len().saturating_sub(1));
        let path = rows.get(at).map(|row| row.facts.actor.clone());
        self.chosen = path.filter(|_| at > 0);
        self.chosen_at = at;
    }
}
