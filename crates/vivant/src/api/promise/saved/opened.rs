//! Promises of a restored actor: open again, with the numbers that they had.

use super::super::answer::AnswerSink;
use super::super::discard::DiscardSink;
use super::super::resolver::Resolver;
use super::super::settled::SettledSink;
use super::super::sink::Sink;
use super::super::sink_data::JoinKind;
use super::super::slot::{Asking, slot_of_held};
use super::loaded_sinks::{LoadedOkSink, loaded_join, loaded_limit, loaded_wait};
use super::stored::StoredSink;
use super::value_codecs::SavedValue;
use crate::actor::{AddressRef, StateRef, WaitPurpose};
use crate::services::Asked;
use vivant_codec::LoadError;

/// The promise's end of a slot of any type.
pub(crate) trait OpenPromise {
    /// Sets what is done with the value.
    fn load_sink(self: Box<Self>, sink: &StoredSink<'_>) -> Result<(), LoadError>;
}

pub(super) struct Opened<V: SavedValue>(Asking<V::Value>);

impl<V: SavedValue> Opened<V> {
    pub(super) fn new(
        owner: &AddressRef,
        held: &StateRef<'_>,
        number: u64,
        asked: Option<Asked>,
    ) -> (Opened<V>, Resolver<V::Value>) {
        let (asking, answering) = slot_of_held(owner.clone(), held, number, asked);
        (Opened(asking), Resolver::of_slot(answering))
    }
}

impl<V: SavedValue> OpenPromise for Opened<V> {
    fn load_sink(self: Box<Self>, sink: &StoredSink<'_>) -> Result<(), LoadError> {
        self.0.set_sink(loaded::<V>(sink)?);
        Ok(())
    }
}

fn loaded<V: SavedValue>(sink: &StoredSink<'_>) -> Result<Sink<V::Value>, LoadError> {
    Ok(match sink.kind {
        "then" => {
            let load = (sink.continuation)(sink.name);
            let load = load.ok_or_else(|| {
                sink.content
                    .error("a continuation that the program does not list")
            })?;
            let loaded = load(&sink.content)?.downcast();
            *loaded.map_err(|_| {
                sink.content
                    .error("a continuation of another type of value")
            })?
        }
        "discard" => Sink::new(DiscardSink),
        "answer" => Sink::passing(AnswerSink(sink.content.load()?)),
        "ok" => {
            let name = sink.content.load()?;
            Sink::new(LoadedOkSink::<V::Value>(sink.content.resolver(name)?))
        }
        "settled" => Sink::new(SettledSink::<V::Value>(sink.content.load()?)),
        "limit" => Sink::new(loaded_limit::<V::Value>(sink)?),
        "all" => Sink::new(loaded_join::<V, _>(sink, JoinKind::All, Some)?),
        "quorum" => Sink::new(loaded_join::<V, _>(sink, JoinKind::Quorum, Some)?),
        "any" => Sink::new(loaded_join::<V, _>(sink, JoinKind::Any, |mut values| {
            values.pop()
        })?),
        "wait" => Sink::new(loaded_wait::<V::Value>(sink, WaitPurpose::Reply)?),
        "wait_for_start" => Sink::new(loaded_wait::<V::Value>(sink, WaitPurpose::Start)?),
        "wait_for_stop" => Sink::new(loaded_wait::<V::Value>(sink, WaitPurpose::Stop)?),
        _ => {
            let why = "what is done with a promise has a name that this version does not know";
            return Err(sink.content.error(why));
        }
    })
}
