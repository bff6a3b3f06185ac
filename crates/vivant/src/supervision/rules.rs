//! The parameters of a supervisor.

use super::budget::{BackOff, RestartIntensity};

/// The children that are restarted when one child has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::enum_variant_names, reason = "the words of the field")]
pub(super) enum Strategy {
    OneForOne,
    AllForOne,
    RestForOne,
}

/// The parameters of a supervisor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) strategy: Strategy,
    pub(super) budget: RestartIntensity,
    pub(super) back_off: BackOff,
}
