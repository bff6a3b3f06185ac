//! What is shown, and what a key does to it: pure, without a terminal or a clock.
//!
//! - [`look`]: two snapshots become rows with rates.
//! - [`column`]: by what actors are sorted.
//! - [`home`]: the five of each list on the first page.
//! - [`figure`]: numbers as text.
//! - [`Model`]: all of it, and [`Model::press`].

pub(crate) mod column;
pub(crate) mod figure;
pub(crate) mod home;
pub(crate) mod keys;
pub(crate) mod look;
#[cfg(test)]
pub(crate) mod tests;

use column::Column;
use look::{Look, Row};
use vivant_console::wire::Snapshot;

/// The pages, in the order of `Tab`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Home,
    Actors,
    Reports,
}

impl Page {
    pub(crate) const ALL: [Page; 3] = [Page::Home, Page::Actors, Page::Reports];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Page::Home => "Home",
            Page::Actors => "Actors",
            Page::Reports => "Reports",
        }
    }

    fn shifted(self, by: usize) -> Page {
        Page::ALL[(self as usize + by) % Page::ALL.len()]
    }
}

/// Who hears the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Page,
    /// The filter is being typed.
    Filter,
    /// The actor with this path is shown alone.
    Detail(String),
    Help,
}

/// Whether looks are taken by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    Running,
    Paused,
}

/// What is known of the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Live,
    /// Why the last look failed. Another one is tried.
    Lost(String),
}

/// All that the screen shows.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Which system, and how often it is looked at.
    pub(crate) title: String,
    pub(crate) page: Page,
    pub(crate) focus: Focus,
    pub(crate) pace: Pace,
    pub(crate) link: Link,
    pub(crate) sort: Column,
    pub(crate) filter: String,
    pub(crate) look: Look,
    /// Which of the actors on the list, by its path: it stays the same when the order changes.
    /// `None` is the first, whoever that is.
    chosen: Option<String>,
    /// Where it is.
    chosen_at: usize,
    /// How many of the newest reports are above the screen.
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
            filter: String::new(),
            look: Look::default(),
            chosen: None,
            chosen_at: 0,
            reports_above: 0,
            before: None,
        }
    }

    /// A look was taken.
    pub(crate) fn looked(&mut self, snapshot: Snapshot) {
        self.look = Look::between(self.before.as_ref(), &snapshot);
        self.before = Some(snapshot);
        self.link = Link::Live;
        self.choose_again();
    }

    /// A look failed. What was seen last stays; rates begin anew, for it may be another program
    /// that answers next.
    pub(crate) fn lost(&mut self, why: impl Into<String>) {
        self.before = None;
        self.link = Link::Lost(why.into());
    }

    /// The actors that the filter lets through, in the order of the column.
    pub(crate) fn rows(&self) -> Vec<&Row> {
        self.look.rows(self.sort, &self.filter)
    }

    /// Where in [`Model::rows`] the chosen actor is.
    pub(crate) fn chosen_at(&self) -> usize {
        self.chosen_at
    }

    /// The actor that is shown alone; `None` if it is not there any more.
    pub(crate) fn detail(&self, path: &str) -> Option<&Row> {
        self.look.rows.iter().find(|row| row.facts.actor == path)
    }

    /// Finds the chosen actor in the list as it is now; if it is gone, whoever is at its place.
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
