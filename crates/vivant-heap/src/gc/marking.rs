//! [`Marking`]: how a heap's old generation is marked: concurrently, stop-the-world, or never.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// How the old generation of a heap is marked, which finds the dead among its old objects. Minor
/// collections run between two turns with any of these.
///
/// The text names, for [`FromStr`] and [`Display`](fmt::Display), are `concurrent`, `at-once` and
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
    /// Concurrent marking of a heap of more than 256 KiB: beside its actor's turns, by
    /// [markers](crate::Heap::marker) and by mutator assists of the actor. A smaller heap gets a
    /// stop-the-world mark.
    #[default]
    Concurrent,
    /// A stop-the-world mark of this heap, in one pause between two turns. The pause is
    /// proportional to the live objects.
    AtOnce,
    /// No mark begins automatically. Objects that die young are freed as ever. Objects that die old
    /// stay, with their destructors and with the imports that they keep alive, until a call of
    /// [`Heap::collect`](crate::Heap::collect) or [`Heap::begin_mark`](crate::Heap::begin_mark) or
    /// the end of the heap. So do exports that other heaps have released.
    ///
    /// For short-lived heaps, and for heaps in which hardly any old object dies; and to measure the
    /// cost of marks, or to find out whether they have a fault.
    Never,
}

impl Marking {
    /// All variants, in the order of their documentation.
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

    /// Parses the exact name.
    fn from_str(name: &str) -> Result<Marking, UnknownMarking> {
        let mut all = Marking::ALL.into_iter();
        let unknown = || UnknownMarking(name.to_owned());
        all.find(|marking| marking.name() == name)
            .ok_or_else(unknown)
    }
}

/// The error for an unknown name of a way of marking.
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
