//! [`KeptReleases`]: DECs that a heap has taken in a phase of its system that it has not entered.

use super::count_inbox::CountDelta;
use crate::alloc::header::Header;
use std::mem;
use std::ptr::NonNull;

/// What becomes of the DECs that a heap has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Releases {
    Applied,
    /// The heap has not entered the phase in which they may have been sent.
    Kept,
}

/// DECs that wait until the heap enters the present phase of its system. To apply one later is
/// always right: an undrained DEC changes no object's life.
#[derive(Default)]
pub(crate) struct KeptReleases(Vec<CountDelta>);

impl KeptReleases {
    /// Returns false if the delta is to be applied now.
    pub(super) fn keeps(&mut self, delta: CountDelta, releases: Releases) -> bool {
        let keeps = releases == Releases::Kept && delta.by < 0;
        if keeps {
            self.0.push(delta);
        }
        keeps
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self) -> Vec<CountDelta> {
        mem::take(&mut self.0)
    }

    /// The objects, with what the DECs change.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NonNull<Header>, i64)> {
        self.0.iter().map(|delta| (delta.object, delta.by))
    }
}
