//! The exclusive waits that depend on the answer of a request: a wait of its asker, and the waits
//! for requests that are answered by that answer.

use super::exclusive_wait::WaitNumber;

/// The exclusive waits that depend on one request.
#[derive(Default)]
pub(crate) struct Dependents {
    pub(crate) waits: Vec<Dependent>,
    pub(crate) chain: ChainEnd,
}

/// A wait that cannot end before the request is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependent {
    /// The number of the system of the actor that waits.
    pub(crate) system: u64,
    /// Its id in that system.
    pub(crate) actor: u64,
    pub(crate) wait: WaitNumber,
}

/// Whether all promises of the chain have their final sinks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum ChainEnd {
    #[default]
    Final,
    /// The turn that asked has not ended: it may still begin a wait, or continue the promise.
    Open,
}
