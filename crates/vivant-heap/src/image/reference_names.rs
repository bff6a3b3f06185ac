//! The names of references in the shapes of images.

/// A reference to an object of the same heap.
pub(super) const REFERENCE: &str = "vivant::Gc";

/// A part of a collection.
pub(super) const PART: &str = "vivant::Part";

/// A reference to a shared object: an enum, with this variant for those of other heaps.
pub(super) const VAL: &str = "vivant::Val";
pub(super) const FOREIGN: &str = "Foreign";

/// A region, with all that it has: its references name objects of it.
pub(super) const REGION: &str = "vivant::Iso";
