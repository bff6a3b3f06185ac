//! [`Noted`]: to what encoded values lead.

use super::ended::EndedRecord;
use crate::actor::References;
use std::collections::BTreeMap;
use vivant_heap::NamedHeaps;

/// To what encoded values lead.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) references: References,
    /// The actors that the image lacks.
    pub(super) ended: Vec<EndedRecord>,
    pub(super) heaps: NamedByActor,
}

/// The heaps of which values have objects, by their numbers; each with the path of an actor that
/// has one.
#[derive(Debug, Default)]
pub(super) struct NamedByActor(pub(super) BTreeMap<u64, String>);

impl NamedByActor {
    /// Takes what values of the actor with this path have named.
    pub(super) fn of(named: &NamedHeaps, path: &str) -> NamedByActor {
        let named = named.take().into_iter();
        NamedByActor(named.map(|heap| (heap, path.to_owned())).collect())
    }
}
