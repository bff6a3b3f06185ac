//! [`Marking`]: who marks a heap, and when.

use crate::heap::{Heap, Root};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// How the old generation of a heap is marked, that is how the dead among its old objects are
/// found. A heap's nursery is emptied between two turns, whichever this is.
///
/// Its name in text, for [`FromStr`] and [`Display`](fmt::Display), is `concurrent`, `at-once` or
/// `never`.
///
/// ```
/// use vivant_heap::Marking;
///
/// assert_eq!("at-once".parse(), Ok(Marking::AtOnce));
/// assert!("sometimes".parse::<Marking>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Marking {
    /// A heap of more than 256 KiB is marked beside its actor's turns, by whoever helps
    /// ([`Heap::marker`]) and by the actor itself in small slices; a smaller one at once (H7).
    #[default]
    Concurrent,
    /// Between two turns, everything in one pause: as long as there are living objects to go
    /// through.
    AtOnce,
    /// No mark comes by itself. What dies young is freed as ever. What dies old stays where it is,
    /// with its destructor, and with what it keeps alive of others, until somebody calls
    /// [`Heap::collect`] or [`Heap::begin_mark`] or the heap ends; so does what others have given
    /// up.
    ///
    /// For heaps that do not live long, or in which next to nothing dies old; and to learn what
    /// marks cost, or whether a fault is theirs.
    Never,
}

impl Marking {
    /// All ways, in the order in which they are explained.
    const ALL: [Marking; 3] = [Marking::Concurrent, Marking::AtOnce, Marking::Never];

    /// Its name in text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Marking::Concurrent => "concurrent",
            Marking::AtOnce => "at-once",
            Marking::Never => "never",
        }
    }
}

impl fmt::Display for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Marking {
    type Err = UnknownMarking;

    /// By its name, exactly.
    fn from_str(name: &str) -> Result<Marking, UnknownMarking> {
        let mut all = Marking::ALL.into_iter();
        let unknown = || UnknownMarking(name.to_owned());
        all.find(|marking| marking.name() == name)
            .ok_or_else(unknown)
    }
}

/// No way of marking has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMarking(String);

impl fmt::Display for UnknownMarking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three] = Marking::ALL;
        let name = &self.0;
        write!(
            f,
            "{name:?} is no way of marking; write {one}, {two} or {three}"
        )
    }
}

impl Error for UnknownMarking {}

impl<R: Root> Heap<R> {
    /// How it is marked: by its [`Pacing::marking`](crate::Pacing::marking).
    #[must_use]
    pub fn marking(&self) -> Marking {
        self.core().pacing.marking
    }
}
