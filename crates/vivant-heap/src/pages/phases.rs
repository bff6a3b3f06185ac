//! [`Phases`]: the phases of a system, each of which a cut of all its heaps begins.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// The phase of a system. Each cut begins another one, and each heap of the system enters it: by
/// then an image of the heap has begun, if the cut has one of it ([`Heap::enter_phase`]).
///
/// A heap that has not entered the present phase keeps the objects that other heaps release: one
/// that has entered may have released an object that its image names. So a DEC is applied when the
/// heap has entered the phase in which it was sent.
///
/// [`Heap::enter_phase`]: crate::Heap::enter_phase
pub trait Phases: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The present phase. A thread that has seen a delta of a later phase gets that, or one after
    /// it.
    fn phase(&self) -> u64;
}
