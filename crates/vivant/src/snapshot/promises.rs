//! [`OpenPromises`]: the promises of a restored system.

use super::by_id::Actors;
use super::image::{ActorRecord, AskedRecord, Image, PromiseRecord};
use super::message_record::{MessageData, NameOfValue, WaitingKind};
use super::not_restored::NotRestored;
use super::values::Values;
use crate::actor::{AddressRef, AskError, CellRef, Envelope, ExclusiveWait, StateRef, Undelivered};
use crate::api::{
    ActorsById, LoadedJoins, OpenPromise, OpenResolver, SavedKinds, SetSink, StoredSink, ValueName,
    ValueType,
};
use crate::failures::{Inside, StopReason};
use crate::interned::Name;
use crate::services::Asked;
use crate::sync::Arc;
use crate::wait_for::WaitForGraph;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// An actor, and the number of a promise among those that it has open.
type Named = (u64, u64);

/// The ends of all promises, until each has found its place.
#[derive(Default)]
pub(super) struct OpenPromises {
    promises: RefCell<BTreeMap<Named, Box<dyn OpenPromise>>>,
    resolvers: RefCell<BTreeMap<Named, OpenResolver>>,
}

impl OpenPromises {
    /// Opens the promises of all actors, so that resolvers can be loaded in any order.
    pub(super) fn open(
        &self,
        image: &Image,
        actors: &Actors,
        kinds: &SavedKinds,
    ) -> Result<(), NotRestored> {
        for record in &image.actors {
            let Some(owner) = actors.get(&record.id) else {
                continue;
            };
            let Ok(mut held) = owner.cell().hold_idle() else {
                continue;
            };
            let opened = self.open_of(record, owner, &held.state(), kinds);
            held.park();
            opened?;
        }
        Ok(())
    }

    /// Opens the promises of an actor that the caller holds.
    pub(super) fn open_of(
        &self,
        record: &ActorRecord,
        owner: &AddressRef,
        state: &StateRef<'_>,
        kinds: &SavedKinds,
    ) -> Result<(), NotRestored> {
        // The oldest first: the list of an actor is in the order of the numbers.
        for promise in record.promises.iter().rev() {
            let value = value_type(owner, &promise.value, kinds)?;
            let asked = asked(promise, owner);
            let (opened, resolver) = value.open(owner, state, promise.number, asked);
            let named = (record.id, promise.number);
            self.promises.borrow_mut().insert(named, opened);
            self.resolvers.borrow_mut().insert(named, resolver);
        }
        Ok(())
    }

    /// Takes out the resolver of a promise.
    pub(super) fn resolver(&self, named: Named) -> Option<OpenResolver> {
        self.resolvers.borrow_mut().remove(&named)
    }

    /// Loads what an actor does with the values of its promises.
    pub(super) fn load(
        &self,
        owner: &AddressRef,
        record: &ActorRecord,
        values: &Values<'_>,
    ) -> Result<(), NotRestored> {
        let waits = self.load_of(owner, record, values)?.set();
        if !waits.is_empty()
            && let Ok(mut held) = owner.cell().hold_idle()
        {
            held.waits_for(waits);
            held.park();
        }
        Ok(())
    }

    /// As `load`. Nothing is set yet, and an error leaves nothing.
    pub(super) fn load_of(
        &self,
        owner: &AddressRef,
        record: &ActorRecord,
        values: &Values<'_>,
    ) -> Result<LoadedSinks, NotRestored> {
        let joins = LoadedJoins::default();
        let mut loaded = LoadedSinks {
            owner: owner.cell(),
            waits: RefCell::default(),
            set: Vec::new(),
        };
        let promises = record.promises.iter().map(|it| 1 + it.values.len() as u64);
        let uncounted = Cell::new(promises.sum());
        for promise in &record.promises {
            let arrived = promise.values.iter();
            let sink = StoredSink {
                kind: &promise.sink,
                name: &promise.value.behaviour,
                content: values.stored(promise.content.shape, &promise.content.bytes),
                values: arrived
                    .map(|joined| {
                        (
                            joined.at,
                            values.stored(joined.value.shape, &joined.value.bytes),
                        )
                    })
                    .collect(),
                owner,
                promises: &uncounted,
                continuation: &|name| values.kinds.values().continuation(name),
                joins: &joins,
                waits: &loaded.waits,
            };
            let named = (record.id, promise.number);
            let opened = self.promises.borrow_mut().remove(&named);
            if let Some(opened) = opened {
                let set = opened.load_sink(&sink);
                let set = set.map_err(|error| NotRestored::Value {
                    actor: owner.path(),
                    what: format!("what it does with its promise {}", promise.number),
                    error,
                })?;
                loaded.set.push(set);
            }
        }
        Ok(loaded)
    }

    /// The message that brings a value, if the promise is open.
    pub(super) fn arrival(
        &self,
        to: &AddressRef,
        named: Named,
        message: &MessageData,
        values: &Values<'_>,
    ) -> Result<Option<Envelope>, NotRestored> {
        let kind = values.kind(to, message)?;
        let WaitingKind::Arrival(name) = &kind.what else {
            return Err(NotRestored::NoKind {
                actor: to.path(),
                kind: "a message that is no value, for a promise".to_owned(),
            });
        };
        let Some(resolver) = self.resolver(named) else {
            return Ok(None);
        };
        let value = value_type(to, name, values.kinds)?;
        let loaded = value.load_arrival(resolver, &values.stored(kind.shape, &message.bytes));
        let loaded = loaded.map_err(|error| NotRestored::Value {
            actor: to.path(),
            what: format!("the value of its promise {}", named.1),
            error,
        })?;
        Ok(loaded.map(|(_, message)| message))
    }

    /// Takes out all resolvers.
    pub(super) fn take_resolvers(&self) -> Vec<OpenResolver> {
        self.resolvers.take().into_values().collect()
    }

    /// Breaks the promises to which nothing in the image gives a value: the actors that have to
    /// answer are not saved.
    pub(super) fn break_unresolved(&self, image: &Image, by_id: &dyn ActorsById) {
        for record in &image.actors {
            for promise in &record.promises {
                if let Some(resolver) = self.resolver((record.id, promise.number)) {
                    resolver.fail(not_saved(promise.asked.as_ref(), by_id));
                }
            }
        }
    }
}

/// What an actor does with the values of its promises, before it is set. Dropped, nothing is done,
/// and the actor waits for nothing.
pub(super) struct LoadedSinks {
    owner: CellRef,
    /// Exclusive waits, which the graph has.
    waits: RefCell<Vec<ExclusiveWait>>,
    set: Vec<SetSink>,
}

impl LoadedSinks {
    /// The exclusive waits that the actor has then.
    pub(super) fn waits(&self) -> Vec<ExclusiveWait> {
        self.waits.borrow().clone()
    }

    /// Sets it. Returns the exclusive waits that the actor has from here on.
    pub(super) fn set(mut self) -> Vec<ExclusiveWait> {
        std::mem::take(&mut self.set)
            .into_iter()
            .for_each(|set| set());
        self.waits.take()
    }
}

impl Drop for LoadedSinks {
    fn drop(&mut self) {
        let graph = WaitForGraph::of(&self.owner.system);
        for wait in self.waits.take() {
            graph.end(self.owner.id, &wait);
        }
    }
}

fn not_saved(asked: Option<&AskedRecord>, by_id: &dyn ActorsById) -> AskError {
    match asked {
        Some(asked) => AskError::Stopped(Arc::new(Undelivered {
            actor: by_id
                .actor(asked.actor)
                .map_or_else(|| asked.actor.to_string(), |actor| actor.path()),
            behaviour: Name::intern(&asked.behaviour),
            place: asked.made,
            reason: StopReason::NotSaved,
        })),
        None => lost_with_its_code(),
    }
}

/// The future or stream that would have answered is code, which no image has.
pub(super) fn lost_with_its_code() -> AskError {
    AskError::Broken(Arc::new(Inside {
        actor: "an actor that is not saved".to_owned(),
        behaviour: Name::new("-"),
    }))
}

fn value_type(
    actor: &AddressRef,
    value: &NameOfValue,
    kinds: &SavedKinds,
) -> Result<&'static dyn ValueType, NotRestored> {
    let found = kinds.values().named(ValueName {
        of: value.of,
        behaviour: &value.behaviour,
    });
    found.ok_or_else(|| NotRestored::NoKind {
        actor: actor.path(),
        kind: format!("a value of `{}`", value.behaviour),
    })
}

/// The request of a promise, for inspections.
fn asked(promise: &PromiseRecord, owner: &AddressRef) -> Option<Asked> {
    let asked = promise.asked.as_ref()?;
    Some(Asked {
        system: owner.system.number,
        answerer: asked.actor,
        behaviour: Name::intern_ref(&asked.behaviour),
        place: asked.made,
    })
}
