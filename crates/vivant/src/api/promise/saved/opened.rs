//! Promises of a restored actor: open again, with the numbers that they had.

use super::super::answer::AnswerSink;
use super::super::discard::DiscardSink;
use super::super::exclusive::WaitSink;
use super::super::join::JoinSink;
use super::super::limit::InTime;
use super::super::resolver::Resolver;
use super::super::settled::SettledSink;
use super::super::sink::Sink;
use super::super::sink_data::JoinKind;
use super::super::slot::{Asking, slot_of_held};
use super::sinks::StoredSink;
use super::values::SavedValue;
use crate::actor::{AddressRef, AskError, StateRef, WaitPurpose};
use crate::services::Asked;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use vivant_codec::LoadError;

/// The joins of an actor that have been loaded, by the numbers of their promises.
pub(crate) type LoadedJoins = RefCell<BTreeMap<u64, Box<dyn Any>>>;

/// The promise's end of a slot of any type.
pub(crate) trait OpenPromise {
    /// Sets what is done with the value.
    fn load_sink(self: Box<Self>, sink: &StoredSink<'_>) -> Result<(), LoadError>;
}

/// The resolver of a promise of any type: a `Resolver<T>`.
pub(crate) trait OpenResolver: Any {
    /// Breaks the promise with this error.
    fn fail(self: Box<Self>, error: AskError);
}

impl<T: Send + 'static> OpenResolver for Resolver<T> {
    fn fail(self: Box<Self>, error: AskError) {
        Resolver::fail(*self, error);
    }
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
            let load = sink.types.continuation(sink.name);
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
        "settled" => Sink::new(SettledSink::<V::Value>(sink.content.load()?)),
        "limit" => Sink::new(InTime::<V::Value>::loaded(sink)?),
        "all" => Sink::new(JoinSink::loaded::<V>(sink, JoinKind::All, Some)?),
        "quorum" => Sink::new(JoinSink::loaded::<V>(sink, JoinKind::Quorum, Some)?),
        "any" => Sink::new(JoinSink::loaded::<V>(sink, JoinKind::Any, |mut values| {
            values.pop()
        })?),
        "wait" => Sink::new(WaitSink::<V::Value>::loaded(sink, WaitPurpose::Reply)?),
        "wait_for_start" => Sink::new(WaitSink::<V::Value>::loaded(sink, WaitPurpose::Start)?),
        _ => {
            let why = "what is done with a promise has a name that this version does not know";
            return Err(sink.content.error(why));
        }
    })
}
