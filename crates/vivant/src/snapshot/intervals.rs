//! [`RestoredInterval`]: what an interval of a restored system sends. A file names the kind of the
//! message, and not how a value of that kind is cloned. So each tick decodes the message again.

use crate::actor::{
    AddressRef, CellRef, DelayedMessage, Delivery, Envelope, KindTable, To, post_or_bury,
};
use crate::api::{ActorsById, LoadedActors, RestoredSystem, SavedKinds};
use crate::interned::Place;
use crate::services::{Interval, Periodic};
use crate::sync::Arc;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use vivant_codec::{Decoder, Encoder, LoadError};

/// A message that is decoded for each tick.
pub(super) struct RestoredInterval {
    to: AddressRef,
    kind: &'static KindTable,
    made: Place,
    content: Vec<u8>,
    kinds: Arc<SavedKinds>,
    /// The actors of which the message has addresses. A weak one keeps its actor alive here.
    actors: Arc<BTreeMap<u64, AddressRef>>,
}

impl RestoredInterval {
    /// Copies of this message. It is encoded anew, as the program's own types are now.
    pub(super) fn new(
        to: &AddressRef,
        message: &Envelope,
        kinds: &Arc<SavedKinds>,
        by_id: &dyn ActorsById,
    ) -> Result<RestoredInterval, LoadError> {
        let mut out = Encoder::new();
        message.save(&mut out);
        let content = out.finish();
        let content = content.map_err(|error| Decoder::new(&[]).error(error.to_string()))?;
        let mut interval = RestoredInterval {
            to: to.clone(),
            kind: message.kind(),
            made: message.head().place,
            content,
            kinds: kinds.clone(),
            actors: Arc::default(),
        };
        // Each attempt finds one more actor of which the message has an address.
        let missing = Rc::new(Cell::new(None));
        loop {
            let actors = Seen {
                actors: interval.actors.clone(),
                missing: missing.clone(),
            };
            let decoded = interval.decode(actors);
            match (decoded, missing.take()) {
                (Ok(_), None) => return Ok(interval),
                (Err(error), None) => return Err(error),
                (_, Some(id)) => {
                    let Some(actor) = by_id.actor(id) else {
                        return Err(Decoder::new(&[]).error("an address that leads nowhere"));
                    };
                    Arc::make_mut(&mut interval.actors).insert(id, actor);
                }
            }
        }
    }

    fn decode(&self, actors: impl ActorsById) -> Result<Envelope, LoadError> {
        let loaded = LoadedActors::new(actors, self.kinds.clone());
        let system = RestoredSystem(self.to.system.clone());
        let contexts: [&dyn Any; 2] = [&loaded, &system];
        let mut input = Decoder::new(&self.content).with_contexts(&contexts);
        match &self.kind.codec {
            Some(codec) => codec.load(&mut input, None, self.made),
            None => Err(input.error("a message of a kind that is not saved")),
        }
    }
}

impl Periodic<DelayedMessage> for RestoredInterval {
    fn name(&self) -> &'static str {
        self.kind.name.as_str()
    }

    fn send_copy(&self) -> Interval {
        if self.to.ended().is_some() {
            return Interval::End;
        }
        // It was decoded once before, from the same bytes.
        let Ok(message) = self.decode(Seen::all(&self.actors)) else {
            return Interval::End;
        };
        post_or_bury(To::Lent(&self.to), message);
        Interval::Continue
    }

    fn copy(&self) -> Option<DelayedMessage> {
        let envelope = self.decode(Seen::all(&self.actors)).ok()?;
        let to = self.to.clone();
        Some(DelayedMessage::Strong(Delivery { to, envelope }))
    }
}

/// The actors that are known. Notes the number of an actor that is not.
struct Seen {
    actors: Arc<BTreeMap<u64, AddressRef>>,
    missing: Rc<Cell<Option<u64>>>,
}

impl Seen {
    fn all(actors: &Arc<BTreeMap<u64, AddressRef>>) -> Seen {
        Seen {
            actors: actors.clone(),
            missing: Rc::default(),
        }
    }
}

impl ActorsById for Seen {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        let actor = self.actors.get(&id).cloned();
        if actor.is_none() {
            self.missing.set(Some(id));
        }
        actor
    }

    /// Under the lock of the alarms no address is dropped.
    fn cell(&self, id: u64) -> Option<CellRef> {
        let actor = self.actors.get(&id);
        if actor.is_none() {
            self.missing.set(Some(id));
        }
        Some(actor?.cell())
    }
}
