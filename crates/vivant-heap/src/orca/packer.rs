//! [`Packer`]: packs where no mutator is at hand, though a turn runs.

use super::parcel::Parcel;
use crate::mutator::Mutator;
use crate::types::{Sendable, Twin};
use std::fmt;

/// A turn's heap, for code of the runtime that runs within the turn and knows nothing of its brand.
#[derive(Clone, Copy)]
pub struct Packer(Mutator<'static>);

impl Packer {
    /// By the heap of this turn.
    #[inline]
    #[must_use]
    pub fn new(mutator: &Mutator<'_>) -> Packer {
        // SAFETY: nobody but `pack` uses it, whose caller knows that the turn runs.
        Packer(unsafe { mutator.rebranded() })
    }

    /// As [`Mutator::pack`], for a value of any brand. What that heap does not own it counts as an import.
    ///
    /// # Safety
    ///
    /// The turn that this was made from has not ended, and runs on this thread.
    #[inline]
    pub unsafe fn pack<'gc, T: Twin<Of<'gc>: Sendable<'gc>>>(self, value: T::Of<'gc>) -> Parcel<T> {
        // SAFETY: the caller's; the brand is that of the value, which is packed and nothing else.
        unsafe { self.0.rebranded() }.pack(value)
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}
