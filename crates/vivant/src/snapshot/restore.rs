//! A system from an image.

use super::image::{
    ActorRecord, Content, Encoded, Image, KindRecord, MessageRecord, StartRecord, WaitingKind,
};
use super::promises::OpenPromises;
use crate::actor::{
    ActorPath, AddressRef, Birth, Class, Envelope, SavedClass, Shared, StateRef, To, post_or_bury,
};
use crate::api::{
    ActorsById, LoadedActors, OpenResolver, SavedForm, SavedKinds, Stored, not_restored, register,
};
use crate::interned::Place;
use crate::sync::Arc;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use vivant_codec::{Comparison, Decoder, LoadError, ShapeId};

/// The actors of a restored system, by their ids. They keep the actors alive.
pub(super) type Actors = BTreeMap<u64, AddressRef>;

/// Why the content of an image cannot be restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotRestored {
    /// The program does not list this type of actor.
    NoType {
        /// The number of the actor.
        actor: u64,
        /// Stable name of its type.
        type_name: String,
    },
    /// The program does not list this kind of message.
    NoKind {
        /// Path of the actor for which it waits.
        actor: String,
        /// Its form and its name.
        kind: String,
    },
    /// A message is for an actor that the image does not have; its number.
    NoActor(u64),
    /// A value is not what the program has.
    Value {
        /// Path of the actor of which it is the state, or for which it waits.
        actor: String,
        /// What the value is.
        what: String,
        /// Why.
        error: LoadError,
    },
    /// Two actors have this number.
    Twice(u64),
    /// An actor has this number, and a later one would get it again.
    NumberInUse(u64),
}

/// Fills a new system with what `image` contains. The messages are posted last: an error comes
/// before any of them.
pub(super) fn restore(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &Arc<SavedKinds>,
) -> Result<Arc<Actors>, NotRestored> {
    system.set_numbers(image.system.numbers);
    let actors = Arc::new(make_actors(system, image, kinds)?);
    let promises = Rc::new(OpenPromises::default());
    let by_id = ById::new(system, &actors, &promises);
    let loaded = LoadedActors::new(by_id, kinds.clone());
    let contexts: [&dyn Any; 1] = [&loaded];
    let values = Values {
        kinds,
        comparison: &Comparison::new(&image.shapes),
        contexts: &contexts,
    };
    promises.open(image, &actors, kinds)?;
    let mut messages = Vec::new();
    for record in &image.actors {
        if let Some(address) = actors.get(&record.id) {
            match &record.content {
                Content::State(state) => values.load_state(address, state)?,
                Content::Start(start) => messages.push((address, values.start(address, start)?)),
                Content::NotSaved | Content::Unstarted => {}
            }
            promises.load(address, record, &values)?;
        }
    }
    for record in &image.waiting {
        let to = actors.get(&record.actor);
        let to = to.ok_or(NotRestored::NoActor(record.actor))?;
        let message = match &record.kind {
            WaitingKind::Message(kind) => Some(values.message(to, kind, record)?),
            WaitingKind::Arrival(arrival) => promises.arrival(to, arrival, record, &values)?,
        };
        messages.extend(message.map(|message| (to, message)));
    }
    for (to, message) in messages {
        post_or_bury(To::Lent(to), message);
    }
    promises.break_unresolved();
    Ok(actors)
}

/// Makes the cells, without states.
fn make_actors(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &SavedKinds,
) -> Result<Actors, NotRestored> {
    let mut paths: BTreeMap<&[u32], Arc<ActorPath>> = BTreeMap::new();
    let mut records: Vec<_> = image.actors.iter().collect();
    // Parents first.
    records.sort_by_key(|record| record.path.len());
    let mut actors = Actors::new();
    for record in records {
        if record.id >= image.system.numbers.0 {
            return Err(NotRestored::NumberInUse(record.id));
        }
        if record.content == Content::NotSaved {
            continue;
        }
        let class = class_of(record, kinds)?;
        let (number, above) = match record.path.split_last() {
            Some((number, above)) => (*number, above),
            None => (0, &[][..]),
        };
        let parent = path_of(above, &mut paths);
        let address = register(system, |pass| {
            (class.make)(Birth {
                pass,
                system: system.clone(),
                id: record.id,
                parent,
                number,
                seed: record.random,
                cold: None,
            })
        });
        if let Some(own) = address.restore(record.children, record.random) {
            paths.insert(&record.path, own);
        }
        if actors.insert(record.id, address).is_some() {
            return Err(NotRestored::Twice(record.id));
        }
    }
    Ok(actors)
}

fn class_of(record: &ActorRecord, kinds: &SavedKinds) -> Result<&'static Class, NotRestored> {
    kinds
        .class(&record.class)
        .ok_or_else(|| NotRestored::NoType {
            actor: record.id,
            type_name: record.class.clone(),
        })
}

/// Returns the path of an actor with these numbers, which may have ended.
fn path_of<'i>(
    numbers: &'i [u32],
    paths: &mut BTreeMap<&'i [u32], Arc<ActorPath>>,
) -> Option<Arc<ActorPath>> {
    let mut path = None;
    for length in 1..=numbers.len() {
        let (own, number) = (&numbers[..length], numbers[length - 1]);
        let made = || Arc::new(ActorPath::new(path.clone(), number));
        path = Some(paths.entry(own).or_insert_with(made).clone());
    }
    path
}

/// What loads the values of an image.
pub(super) struct Values<'i> {
    pub(super) kinds: &'i SavedKinds,
    comparison: &'i Comparison<'i>,
    contexts: &'i [&'i dyn Any],
}

impl<'i> Values<'i> {
    fn load_state(&self, address: &AddressRef, state: &'i Encoded) -> Result<(), NotRestored> {
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

    fn start(&self, to: &AddressRef, start: &'i StartRecord) -> Result<Envelope, NotRestored> {
        let (form, made) = (SavedForm::Start, Place::caller());
        self.content(to, form, &start.name, made, &start.args)
    }

    fn message(
        &self,
        to: &AddressRef,
        kind: &KindRecord,
        record: &'i MessageRecord,
    ) -> Result<Envelope, NotRestored> {
        self.content(to, kind.form, &kind.name, record.made, &record.content)
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

struct ById {
    system: Arc<Shared>,
    actors: Arc<Actors>,
    promises: Rc<OpenPromises>,
    /// What stands for actors that are not restored.
    ended: RefCell<Actors>,
}

impl ById {
    fn new(system: &Arc<Shared>, actors: &Arc<Actors>, promises: &Rc<OpenPromises>) -> ById {
        ById {
            system: system.clone(),
            actors: actors.clone(),
            promises: promises.clone(),
            ended: RefCell::default(),
        }
    }
}

impl ActorsById for ById {
    /// Also of an actor that has ended, in the cut or by it.
    fn actor(&self, id: u64) -> Option<AddressRef> {
        if let Some(actor) = self.actors.get(&id) {
            return Some(actor.clone());
        }
        let mut ended = self.ended.borrow_mut();
        let actor = ended.entry(id);
        Some(
            actor
                .or_insert_with(|| not_restored(&self.system, id))
                .clone(),
        )
    }

    fn resolver(&self, owner: u64, number: u64) -> Option<Box<dyn OpenResolver>> {
        self.promises.resolver((owner, number))
    }
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRestored::NoType { actor, type_name } => write!(
                f,
                "the actor {actor} is of the type `{type_name}`, which the program does not list; add it to the types \
                 of `System::builder().saved::<(…)>()`"
            ),
            NotRestored::NoKind { actor, kind } => write!(
                f,
                "{kind} waits for {actor}, of which the program does not have such messages any more; take the image with a program \
                 that has it, or give the behaviour its name back"
            ),
            NotRestored::NoActor(actor) => write!(
                f,
                "a message waits for the actor {actor}, which the image lacks"
            ),
            NotRestored::Value { actor, what, error } => {
                write!(f, "{actor}: {what} cannot be loaded: {error}")
            }
            NotRestored::NumberInUse(actor) => write!(
                f,
                "the actor {actor} has a number that the image gives to a later one"
            ),
            NotRestored::Twice(actor) => write!(f, "two actors have the number {actor}"),
        }
    }
}

impl std::error::Error for NotRestored {}
