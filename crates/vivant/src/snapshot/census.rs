//! The actors of a cut, counted by type; what took long to encode.

use crate::saving::{saved_enum, saved_struct};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The actors of one type in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorsOfType {
    /// Stable name of the type.
    pub type_name: String,
    /// What the snapshot has of them.
    pub saved_as: SavedAs,
    /// Their number.
    pub actors: u64,
}

/// What a snapshot has of an actor. Displayed with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SavedAs {
    /// The state and the waiting messages: `#[actor(saved)]`.
    State,
    /// The start and the waiting messages: `#[actor(saved(restart))]`. After a restore the actor
    /// starts again.
    Start,
    /// Nothing: after a restore the actor has ended.
    Nothing,
}

/// A value that took over a millisecond to encode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowEncoding {
    /// Path of the actor, which processed no message meanwhile.
    pub actor: String,
    /// The length of the encoded value.
    pub bytes: u64,
    /// The time it took.
    pub took: Duration,
}

/// What encodes for longer is reported.
const SLOW: Duration = Duration::from_millis(1);

/// The number of values that one report lists.
const SLOW_MAX: usize = 100;

/// Counts what a cut records.
#[derive(Debug, Default)]
pub(super) struct Census {
    types: BTreeMap<&'static str, (SavedAs, u64)>,
    pub(super) messages: u64,
    pub(super) slow: Vec<SlowEncoding>,
    pub(super) more_slow: usize,
}

impl Census {
    pub(super) fn actor(&mut self, type_name: &'static str, saved_as: SavedAs) {
        self.types.entry(type_name).or_insert((saved_as, 0)).1 += 1;
    }

    /// Whether a value that took so long to encode is counted.
    pub(super) fn is_slow(took: Duration) -> bool {
        took >= SLOW
    }

    pub(super) fn encoded(&mut self, took: Duration, bytes: usize, actor: impl FnOnce() -> String) {
        if !Census::is_slow(took) {
            return;
        }
        if self.slow.len() == SLOW_MAX {
            self.more_slow += 1;
            return;
        }
        self.slow.push(SlowEncoding {
            actor: actor(),
            bytes: bytes as u64,
            took,
        });
    }

    /// By the names of the types.
    pub(super) fn types(&self) -> Vec<ActorsOfType> {
        let types = self.types.iter();
        let types = types.map(|(type_name, (saved_as, actors))| ActorsOfType {
            type_name: (*type_name).to_owned(),
            saved_as: *saved_as,
            actors: *actors,
        });
        types.collect()
    }
}

/// The number of actors that are saved so.
#[cfg(feature = "snapshots")]
pub(super) fn sum(types: &[ActorsOfType], saved_as: SavedAs) -> u64 {
    let types = types.iter().filter(|it| it.saved_as == saved_as);
    types.map(|it| it.actors).sum()
}

saved_struct!(ActorsOfType as "vivant::ActorsOfType" {
    0 type_name: String,
    1 saved_as: SavedAs,
    2 actors: u64,
});

saved_enum!(SavedAs as "vivant::SavedAs" {
    0 State,
    1 Start,
    2 Nothing,
});

impl fmt::Display for SavedAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SavedAs::State => "saved",
            SavedAs::Start => "starts again: its type says `#[actor(saved(restart))]`",
            SavedAs::Nothing => "not saved: its type does not say `#[actor(saved)]`",
        })
    }
}

/// `3 of bank::Account: saved`.
impl fmt::Display for ActorsOfType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {}: {}",
            self.actors, self.type_name, self.saved_as
        )
    }
}

impl fmt::Display for SlowEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} bytes took {:?} to encode, and no message was processed meanwhile; keep what is large in several \
             actors",
            self.actor, self.bytes, self.took
        )
    }
}
