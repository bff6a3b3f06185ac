//! [`RepeatedMessage`]: a message of an image that is made again and again. A file names the kind
//! of the message, and not how a value of that kind is cloned. So each copy is decoded anew.

use crate::actor::{AddressRef, CellRef, Envelope, KindTable, Shared};
use crate::api::{ActorsById, LoadedActors, RestoredSystem, SavedKinds};
use crate::interned::Place;
use crate::sync::Arc;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use vivant_codec::{Decoder, Encoder, LoadError};

/// A message that is decoded for each use.
pub(super) struct RepeatedMessage {
    system: Arc<Shared>,
    kind: &'static KindTable,
    made: Place,
    content: Vec<u8>,
    kinds: Arc<SavedKinds>,
    /// The actors of which the message has addresses. A weak one keeps its actor alive here.
    actors: Arc<BTreeMap<u64, AddressRef>>,
}

impl RepeatedMessage {
    /// Copies of this message. It is encoded anew, as the program's own types are now.
    pub(super) fn new(
        system: &Arc<Shared>,
        message: &Envelope,
        kinds: &Arc<SavedKinds>,
        by_id: &dyn ActorsById,
    ) -> Result<RepeatedMessage, LoadError> {
        let mut out = Encoder::new();
        message.save(&mut out);
        let content = out.finish();
        let content = content.map_err(|error| Decoder::new(&[]).error(error.to_string()))?;
        let mut repeated = RepeatedMessage {
            system: system.clone(),
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
                actors: repeated.actors.clone(),
                missing: missing.clone(),
            };
            let decoded = repeated.decode_with(actors);
            match (decoded, missing.take()) {
                (Ok(_), None) => return Ok(repeated),
                (Err(error), None) => return Err(error),
                (_, Some(id)) => {
                    let Some(actor) = by_id.actor(id) else {
                        return Err(Decoder::new(&[]).error("an address that leads nowhere"));
                    };
                    Arc::make_mut(&mut repeated.actors).insert(id, actor);
                }
            }
        }
    }

    pub(super) fn kind(&self) -> &'static KindTable {
        self.kind
    }

    /// A copy. It was decoded once before, from the same bytes.
    pub(super) fn decode(&self) -> Result<Envelope, LoadError> {
        self.decode_with(Seen {
            actors: self.actors.clone(),
            missing: Rc::default(),
        })
    }

    fn decode_with(&self, actors: impl ActorsById) -> Result<Envelope, LoadError> {
        let loaded = LoadedActors::new(actors, self.kinds.clone());
        let system = RestoredSystem(self.system.clone());
        let contexts: [&dyn Any; 2] = [&loaded, &system];
        let mut input = Decoder::new(&self.content).with_contexts(&contexts);
        match &self.kind.codec {
            Some(codec) => codec.load(&mut input, None, self.made),
            None => Err(input.error("a message of a kind that is not saved")),
        }
    }
}

/// The actors that are known. Notes the number of an actor that is not.
struct Seen {
    actors: Arc<BTreeMap<u64, AddressRef>>,
    missing: Rc<Cell<Option<u64>>>,
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
