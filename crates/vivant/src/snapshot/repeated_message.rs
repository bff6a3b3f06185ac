//! [`RepeatedMessage`]: a message of an image that is made again and again. A file names the kind
//! of the message, and not how a value of that kind is cloned. So each copy is decoded anew.

use super::by_id::ById;
use crate::actor::{
    AddressRef, CellRef, Envelope, KindTable, Scope, SeenActors, Shared, SharedTable,
};
use crate::api::{ActorsById, LoadedActors, RestoredSystem, SavedKinds};
use crate::interned::Place;
use crate::patterns::NumberedTables;
use crate::sync::Arc;
use std::any::Any;
use std::cell::RefCell;
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
    /// The groups and topics without a name of which it has handles, by their numbers.
    tables: Vec<(u64, Arc<dyn SharedTable>)>,
}

impl RepeatedMessage {
    /// Copies of this message. It is encoded anew, as the program's own types are now.
    pub(super) fn new(
        system: &Arc<Shared>,
        message: &Envelope,
        kinds: &Arc<SavedKinds>,
        by_id: &Rc<ById>,
    ) -> Result<RepeatedMessage, LoadError> {
        let seen = SeenActors::of(system, Scope::System);
        let contexts: [&dyn Any; 1] = [&seen];
        let mut out = Encoder::new().with_contexts(&contexts);
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
            tables: seen.take_references().tables,
        };
        let used = Rc::new(Used {
            by_id: by_id.clone(),
            actors: RefCell::default(),
        });
        let decoded = repeated.decode_with(used.clone())?;
        drop(decoded);
        repeated.actors = Arc::new(used.actors.take());
        Ok(repeated)
    }

    pub(super) fn kind(&self) -> &'static KindTable {
        self.kind
    }

    /// A copy. It was decoded once before, from the same bytes.
    pub(super) fn decode(&self) -> Result<Envelope, LoadError> {
        self.decode_with(Known(self.actors.clone()))
    }

    fn decode_with(&self, actors: impl ActorsById) -> Result<Envelope, LoadError> {
        let loaded = LoadedActors::new(actors, self.kinds.clone());
        let system = RestoredSystem(self.system.clone());
        let tables = NumberedTables::of(self.tables.iter().cloned());
        let contexts: [&dyn Any; 3] = [&loaded, &system, &tables];
        let mut input = Decoder::new(&self.content).with_contexts(&contexts);
        match &self.kind.codec {
            Some(codec) => codec.load(&mut input, None, self.made),
            None => Err(input.error("a message of a kind that is not saved")),
        }
    }
}

/// The actors of the image. Notes those of which a message has addresses.
struct Used {
    by_id: Rc<ById>,
    actors: RefCell<BTreeMap<u64, AddressRef>>,
}

impl ActorsById for Used {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        let actor = self.by_id.actor(id)?;
        self.actors.borrow_mut().insert(id, actor.clone());
        Some(actor)
    }
}

/// The actors of which a message has addresses.
struct Known(Arc<BTreeMap<u64, AddressRef>>);

impl ActorsById for Known {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        self.0.get(&id).cloned()
    }

    /// Under the lock of the alarms no address is dropped.
    fn cell(&self, id: u64) -> Option<CellRef> {
        Some(self.0.get(&id)?.cell())
    }
}
