//! The open promises of an actor, to be saved.

use super::super::open_slots::each_open;
use super::super::sink_data::SinkKind;
use super::data::{PromiseUnsaved, ShapedBytes, SinkSaver};
use super::value_codecs::{ValueName, ValueOf};
use super::values::ValueTypes;
use crate::actor::{ExclusiveWait, StateRef};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Name;
use crate::services::Asked;
use std::any::Any;

/// An open promise, encoded.
pub(crate) struct SavedSlot {
    pub(crate) number: u64,
    /// The name of the kind of its sink.
    pub(crate) sink: Name,
    /// The type of its value. If a continuation takes it, that names the type.
    pub(crate) value: ValueName,
    pub(crate) content: ShapedBytes,
    /// Values that have arrived at a join, with their positions.
    pub(crate) values: Vec<(u64, ShapedBytes)>,
    /// The request of which it is the answer.
    pub(crate) asked: Option<Asked>,
}

/// Returns the open promises of an actor, the newest first; or the number of a promise that cannot
/// be saved. A promise of which the value is not wanted, and of a type that is not saved, is left
/// out. The caller holds the actor, between two turns; its incarnation has these exclusive `waits`.
pub(crate) fn saved_slots(
    owner: &StateRef<'_>,
    types: &ValueTypes,
    contexts: &[&dyn Any],
    waits: &[ExclusiveWait],
) -> Result<Vec<SavedSlot>, (u64, PromiseUnsaved)> {
    let codecs = |arrival| types.codec(arrival);
    let mut saver = SinkSaver::new(&codecs, contexts, waits);
    let (mut slots, mut error) = (Vec::new(), None);
    each_open(owner, |number, sink, asked| {
        let saved = match sink {
            Some(sink) => saved_slot(number, sink, asked, types, &mut saver),
            None => Err(PromiseUnsaved::NotFinal),
        };
        match saved {
            Ok(slot) => slots.extend(slot),
            Err(why) => {
                error.get_or_insert((number, why));
            }
        }
    });
    #[cfg(test)]
    if is_planted(InjectedFault::SlotListedLate) && !slots.is_empty() {
        slots.remove(0);
    }
    match error {
        None => Ok(slots),
        Some(error) => Err(error),
    }
}

fn saved_slot(
    number: u64,
    sink: &super::super::sink::AnySink,
    asked: Option<Asked>,
    types: &ValueTypes,
    saver: &mut SinkSaver<'_>,
) -> Result<Option<SavedSlot>, PromiseUnsaved> {
    let data = sink.link().data();
    let content = sink.link().save(saver)?;
    let kind = match content {
        Some(_) => data.kind,
        None => SinkKind::Discard,
    };
    let value = match kind {
        SinkKind::Then { behaviour, .. } => Some(ValueName {
            of: ValueOf::Hole,
            behaviour: behaviour.as_str(),
        }),
        _ => types.name_of(sink.arrival_type()),
    };
    let value = match (value, &content) {
        (Some(value), _) => value,
        (None, None) => return Ok(None),
        (None, Some(_)) => return Err(PromiseUnsaved::UnknownValue),
    };
    Ok(Some(SavedSlot {
        number,
        sink: kind.name(),
        value,
        content: content.map_or_else(|| saver.content(&()), Ok)?,
        values: std::mem::take(&mut saver.values),
        asked,
    }))
}
