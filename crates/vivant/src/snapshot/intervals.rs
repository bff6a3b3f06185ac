//! [`RestoredInterval`]: what an interval of a restored system sends. A file names the kind of the
//! message, and not how a value of that kind is cloned. So each tick decodes the message again.

use super::message_record::MessageRecord;
use crate::actor::{AddressRef, DelayedMessage, Delivery, Envelope, KindTable, To, post_or_bury};
use crate::api::{ActorsById, LoadedActors, RestoredSystem, SavedKinds};
use crate::interned::Place;
use crate::services::{Interval, Periodic};
use crate::sync::{Arc, Mutex, lock};
use std::any::Any;
use std::collections::BTreeMap;
use vivant_codec::{Decoder, LoadError};

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
    /// The message of `record`, which is of this kind.
    pub(super) fn new(
        to: &AddressRef,
        kind: &'static KindTable,
        record: &MessageRecord,
        kinds: &Arc<SavedKinds>,
        by_id: Arc<dyn ActorsById>,
    ) -> Result<RestoredInterval, LoadError> {
        let mut interval = RestoredInterval {
            to: to.clone(),
            kind,
            made: record.made,
            content: record.content.clone(),
            kinds: kinds.clone(),
            actors: Arc::default(),
        };
        let seen: Arc<Mutex<BTreeMap<u64, AddressRef>>> = Arc::default();
        let noting = Noting {
            by_id,
            seen: seen.clone(),
        };
        drop(interval.decode(noting)?);
        interval.actors = Arc::new(std::mem::take(&mut lock(&seen)));
        Ok(interval)
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
        let Ok(message) = self.decode(Seen(self.actors.clone())) else {
            return Interval::End;
        };
        post_or_bury(To::Lent(&self.to), message);
        Interval::Continue
    }

    fn copy(&self) -> Option<DelayedMessage> {
        let envelope = self.decode(Seen(self.actors.clone())).ok()?;
        let to = self.to.clone();
        Some(DelayedMessage::Strong(Delivery { to, envelope }))
    }
}

/// The actors of an image. Notes those that are asked for.
struct Noting {
    by_id: Arc<dyn ActorsById>,
    seen: Arc<Mutex<BTreeMap<u64, AddressRef>>>,
}

impl ActorsById for Noting {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        let actor = self.by_id.actor(id)?;
        lock(&self.seen).insert(id, actor.clone());
        Some(actor)
    }

    fn resolver(&self, _: u64, _: u64) -> Option<Box<dyn Any>> {
        None
    }
}

struct Seen(Arc<BTreeMap<u64, AddressRef>>);

impl ActorsById for Seen {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        self.0.get(&id).cloned()
    }

    fn resolver(&self, _: u64, _: u64) -> Option<Box<dyn Any>> {
        None
    }
}
