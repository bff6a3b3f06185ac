//! The programs with `Brc`: its owner counts without atomics.

use vivant_brc::Brc as Ptr;

#[path = "programs/mod.rs"]
pub(super) mod programs;

#[path = "serving.rs"]
pub(super) mod serving;
