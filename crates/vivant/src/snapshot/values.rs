//! [`Values`]: loads the values of an image.

use super::message_kinds::MessageKindsRecord;
use super::message_record::{Encoded, KindRecord, MessageData, MessageKindRecord, WaitingKind};
use super::not_restored::NotRestored;
use super::start_record::StartRecord;
use crate::actor::{
    AddressRef, Envelope, LoadedState, Receiver, RestoredNotice, SavedClass, StateSource,
};
use crate::api::{SavedForm, SavedKinds, Stored};
use crate::interned::{Name, Place};
use crate::saving::StoredLocals;
use crate::sync::Arc;
use std::any::Any;
use vivant_codec::{Comparison, Decoder, LoadError, ShapeId};
use vivant_heap::{RestoredHeaps, ValueDecoder};

/// What loads the values of an image.
pub(super) struct Values<'i> {
    pub(super) kinds: &'i Arc<SavedKinds>,
    pub(super) comparison: &'i Comparison<'i>,
    /// The heaps of the image.
    pub(super) heaps: &'i RestoredHeaps<'i>,
    pub(super) message_kinds: &'i MessageKindsRecord,
    pub(super) contexts: &'i [&'i dyn Any],
    /// One of the contexts.
    pub(super) receiver: &'i Receiver,
    /// Makes decoders of values in no heap.
    pub(super) values: &'i ValueDecoder<'i>,
}

impl<'i> Values<'i> {
    /// Loads a state, for the cell of this actor. `None`: images have no state of actors of its
    /// type.
    pub(super) fn state(
        &self,
        address: &AddressRef,
        state: &'i Encoded,
        (heap, locals): (Option<u64>, Option<StoredLocals<'i>>),
        notices: Vec<RestoredNotice>,
    ) -> Result<Option<LoadedState>, NotRestored> {
        let SavedClass::State(functions) = &address.class.saved else {
            return Ok(None);
        };
        let source = StateSource {
            bytes: &state.bytes,
            contexts: self.contexts,
            values: self.values,
            stored: (self.comparison, state.shape),
            heaps: self.heaps,
            heap,
            locals,
            notices,
        };
        let loaded = (functions.load)(address.cell(), source);
        let loaded = loaded.map_err(|error| NotRestored::Value {
            actor: address.path(),
            what: "its state".to_owned(),
            error,
        })?;
        Ok(Some(loaded))
    }

    /// The locals of the next step of an actor, if they are in its heap.
    pub(super) fn locals(
        &self,
        to: &AddressRef,
        step: Option<&MessageData>,
        locals: Option<&'i Encoded>,
    ) -> Result<Option<StoredLocals<'i>>, NotRestored> {
        let Some(locals) = locals else {
            return Ok(None);
        };
        let what = match step.and_then(|step| self.message_kinds.of(step)) {
            Some(kind) => &kind.what,
            None => return Err(self.no_step(to)),
        };
        let WaitingKind::Message(KindRecord { form, name }) = what else {
            return Err(self.no_step(to));
        };
        let table = self.kinds.kind_of((to.class.type_id)(), *form, name);
        let codec = table.and_then(|table| table.codec?.locals);
        Ok(Some(StoredLocals {
            codec: codec.ok_or_else(|| self.no_step(to))?,
            bytes: &locals.bytes,
            shape: (self.comparison, locals.shape),
        }))
    }

    fn no_step(&self, to: &AddressRef) -> NotRestored {
        NotRestored::NoKind {
            actor: to.path(),
            kind: "a step with locals in the heap of the actor".to_owned(),
        }
    }

    pub(super) fn start(
        &self,
        to: &AddressRef,
        start: &'i StartRecord,
    ) -> Result<Envelope, NotRestored> {
        let form = SavedForm::Start;
        self.content(
            to,
            (form, &start.name),
            Place::caller(),
            (start.args.shape, &start.args.bytes),
        )
    }

    /// The kind of a message for this actor.
    pub(super) fn kind(
        &self,
        to: &AddressRef,
        message: &MessageData,
    ) -> Result<&'i MessageKindRecord, NotRestored> {
        let kind = self.message_kinds.of(message);
        kind.ok_or_else(|| NotRestored::NoNumber {
            actor: to.path(),
            number: message.kind,
        })
    }

    /// The form of a message. `None`: the image lacks its kind, or it brings a value.
    pub(super) fn form(&self, message: &MessageData) -> Option<SavedForm> {
        match &self.message_kinds.of(message)?.what {
            WaitingKind::Message(kind) => Some(kind.form),
            WaitingKind::Arrival(_) => None,
        }
    }

    /// A message for this actor. Not an arrival.
    pub(super) fn message(
        &self,
        to: &AddressRef,
        message: &'i MessageData,
    ) -> Result<Envelope, NotRestored> {
        let kind = self.kind(to, message)?;
        match &kind.what {
            WaitingKind::Message(KindRecord { form, name }) => {
                let content = (kind.shape, &message.bytes[..]);
                self.content(to, (*form, name), kind.made, content)
            }
            WaitingKind::Arrival(_) => Err(NotRestored::NoKind {
                actor: to.path(),
                kind: "a value of a promise where none can be".to_owned(),
            }),
        }
    }

    /// A `WeakAddress` of the actor as this type, which is its own or an interface, and the name of
    /// that.
    pub(super) fn target(
        &self,
        to: &AddressRef,
        target: &str,
    ) -> Result<(Name, Box<dyn Any + Send + Sync>), NotRestored> {
        let found = self.kinds.target(to.class, target);
        let found = found.and_then(|it| Some((it.name, (it.weak)(self.kinds, to.clone())?)));
        found.ok_or_else(|| NotRestored::NoTarget {
            actor: to.path(),
            target: target.to_owned(),
        })
    }

    /// A value of a promise, to be loaded.
    pub(super) fn stored<'s>(&'s self, shape: ShapeId, bytes: &'s [u8]) -> Stored<'s> {
        Stored {
            bytes,
            shape: (self.comparison, shape),
            values: self.values,
        }
    }

    fn content(
        &self,
        to: &AddressRef,
        (form, name): (SavedForm, &str),
        made: Place,
        content: (ShapeId, &'i [u8]),
    ) -> Result<Envelope, NotRestored> {
        let kind = || format!("the {form} {name}");
        let table = self.kinds.kind_of((to.class.type_id)(), form, name);
        let codec = table.and_then(|table| table.codec);
        let codec = codec.ok_or_else(|| NotRestored::NoKind {
            actor: to.path(),
            kind: kind(),
        })?;
        self.receiver.0.set(to.id);
        let loaded = self.load(content, |input, stored| {
            codec.load(input, Some(stored), made)
        });
        loaded.map_err(|error| NotRestored::Value {
            actor: to.path(),
            what: kind(),
            error,
        })
    }

    fn load<T>(
        &self,
        (shape, bytes): (ShapeId, &'i [u8]),
        load: impl FnOnce(&mut Decoder<'_, 'i>, (&'i Comparison<'i>, ShapeId)) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = self.values.of(bytes);
        let loaded = load(&mut input, (self.comparison, shape))?;
        input.finish().map(|()| loaded)
    }
}
