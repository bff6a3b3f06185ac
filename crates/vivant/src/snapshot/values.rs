//! [`Values`]: loads the values of an image.

use super::image::StartRecord;
use super::message_record::{Encoded, MessageRecord, WaitingKind};
use super::not_restored::NotRestored;
use crate::actor::{AddressRef, Envelope, SavedClass, StateRef};
use crate::api::{SavedForm, SavedKinds, Stored};
use crate::interned::Place;
use crate::sync::Arc;
use std::any::Any;
use vivant_codec::{Comparison, Decoder, LoadError, ShapeId};
/// What loads the values of an image.
pub(super) struct Values<'i> {
    pub(super) kinds: &'i Arc<SavedKinds>,
    pub(super) comparison: &'i Comparison<'i>,
    pub(super) contexts: &'i [&'i dyn Any],
}

impl<'i> Values<'i> {
    pub(super) fn load_state(
        &self,
        address: &AddressRef,
        state: &'i Encoded,
    ) -> Result<(), NotRestored> {
        let SavedClass::State(functions) = &address.class.saved else {
            return Ok(());
        };
        let Ok(mut idle) = address.cell().hold_idle() else {
            return Ok(());
        };
        let loaded = {
            let into: &mut StateRef<'_> = &mut idle.state();
            self.load(state, |input, stored| {
                (functions.load)(into, input, Some(stored))
            })
        };
        idle.park();
        loaded.map_err(|error| NotRestored::Value {
            actor: address.path(),
            what: "its state".to_owned(),
            error,
        })
    }

    pub(super) fn start(
        &self,
        to: &AddressRef,
        start: &'i StartRecord,
    ) -> Result<Envelope, NotRestored> {
        let (form, made) = (SavedForm::Start, Place::caller());
        self.content(to, form, &start.name, made, &start.args)
    }

    /// A message for this actor. Not an arrival.
    pub(super) fn message(
        &self,
        to: &AddressRef,
        record: &'i MessageRecord,
    ) -> Result<Envelope, NotRestored> {
        match &record.kind {
            WaitingKind::Message(kind) => {
                self.content(to, kind.form, &kind.name, record.made, &record.content)
            }
            WaitingKind::Arrival(_) => Err(NotRestored::NoKind {
                actor: to.path(),
                kind: "a value of a promise where none can be".to_owned(),
            }),
        }
    }

    /// A value of a promise, to be loaded.
    pub(super) fn stored(&self, value: &'i Encoded) -> Stored<'i> {
        Stored {
            bytes: &value.bytes,
            shape: (self.comparison, value.shape),
            contexts: self.contexts,
        }
    }

    fn content(
        &self,
        to: &AddressRef,
        form: SavedForm,
        name: &str,
        made: Place,
        content: &'i Encoded,
    ) -> Result<Envelope, NotRestored> {
        let kind = || format!("the {form} {name}");
        let table = self.kinds.kind_of((to.class.type_id)(), form, name);
        let codec = table.and_then(|table| table.codec);
        let codec = codec.ok_or_else(|| NotRestored::NoKind {
            actor: to.path(),
            kind: kind(),
        })?;
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
        value: &'i Encoded,
        load: impl FnOnce(&mut Decoder<'_, 'i>, (&'i Comparison<'i>, ShapeId)) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = Decoder::new(&value.bytes).with_contexts(self.contexts);
        let loaded = load(&mut input, (self.comparison, value.shape))?;
        input.finish().map(|()| loaded)
    }
}
