//! [`Counts`]: how many actors of each type a cut has, for its report.

use crate::actor::{Class, SavedClass};
use std::collections::BTreeMap;
use std::fmt;

/// The captured actors by the names of their types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(BTreeMap<&'static str, (Kept, u64)>);

/// What becomes of the actors of a type at a restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    /// They go on.
    Saved,
    /// They start again.
    Restarting,
    /// They have ended.
    NotSaved,
}

impl Counts {
    /// One more actor of this type.
    pub(super) fn add(&mut self, class: &Class) {
        let kept = match class.saved {
            SavedClass::State(_) => Kept::Saved,
            SavedClass::Start(_) => Kept::Restarting,
            SavedClass::Nothing => Kept::NotSaved,
        };
        self.0.entry(class.name).or_insert((kept, 0)).1 += 1;
    }

    /// The number of actors of which this becomes.
    pub(super) fn number(&self, kept: Kept) -> u64 {
        let of_kind = self.0.values().filter(|(of_type, _)| *of_type == kept);
        of_kind.map(|(_, number)| number).sum()
    }
}

/// `2 saved, 0 start again, 1 not saved: Logger 1`. The types that are not saved are listed.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |kept| self.number(kept);
        write!(
            f,
            "{} saved, {} start again, {} not saved",
            number(Kept::Saved),
            number(Kept::Restarting),
            number(Kept::NotSaved)
        )?;
        let not_saved = self
            .0
            .iter()
            .filter(|(_, (kept, _))| *kept == Kept::NotSaved);
        for (at, (name, (_, number))) in not_saved.enumerate() {
            write!(f, "{} {name} {number}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
