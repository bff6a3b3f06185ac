//! [`ActorsOfImage`]: the states that an image has, into the cells of actors of a running system.

use super::super::death_watches::restored_notices;
use super::super::image::{ActorRecord, Content, Image, PromiseRecord};
use super::super::message_record::WaitingKind;
use super::super::not_restored::NotRestored;
use super::super::promises::OpenPromises;
use super::super::values::Values;
use super::living::LivingActors;
use crate::actor::{
    AddressRef, AskError, CellsById, ExclusiveWait, Receiver, RestoredParts, Shared, StateRef,
    WaitPurpose,
};
use crate::api::{
    ActorsById, LoadedActors, LoadedPromises, RestoredSystem, RunningSystem, SavedKinds,
};
use crate::failures::Inside;
use crate::gc_state::add_detached;
use crate::interned::Name;
use crate::patterns::NumberedTables;
use crate::supervision::LoadedTrees;
use crate::sync::Arc;
use std::any::Any;
use std::fmt;
use std::iter;
use vivant_codec::Comparison;
use vivant_heap::HeapNumbers;

/// Why an image gives an actor no state.
#[derive(Debug)]
pub(super) enum NoState {
    /// The image has no state of it: it had not begun, or was about to end.
    NotInImage,
    NotRestored(NotRestored),
    /// The actor would run the behaviour in which it has failed.
    RunsAgain(Name),
}

/// What restores the actors of an image in a running system.
pub(super) struct ActorsOfImage {
    pub(super) image: Image,
    kinds: Arc<SavedKinds>,
    living: Arc<LivingActors>,
}

impl ActorsOfImage {
    pub(super) fn new(image: Image, kinds: Arc<SavedKinds>, system: &Arc<Shared>) -> ActorsOfImage {
        let living = Arc::new(LivingActors::of(system, &image.shared.ended));
        ActorsOfImage {
            image,
            kinds,
            living,
        }
    }

    /// Whether an actor that has failed in this behaviour would run it again at once: as the next
    /// step, or because a promise that it waits for breaks.
    pub(super) fn runs_again(&self, record: &ActorRecord, behaviour: Name) -> bool {
        let continues = |promise: &PromiseRecord| {
            promise.sink == "then" && promise.value.behaviour == behaviour.as_str()
        };
        self.step_of(record.id) == Some(behaviour.as_str()) || record.promises.iter().any(continues)
    }

    /// The behaviour of which an actor has a step to run.
    fn step_of(&self, actor: u64) -> Option<&str> {
        let mut steps = self.image.steps.iter();
        let step = steps.find(|step| step.actor == actor)?;
        match &self.image.kinds.of(&step.message)?.what {
            WaitingKind::Message(kind) => Some(&kind.name),
            WaitingKind::Arrival(_) => None,
        }
    }

    /// Loads the state that `record` has, for its actor, which is held by the caller and may have
    /// another state.
    ///
    /// After an error the actor is as before, but for arrivals of promises that it does not have.
    pub(super) fn load(
        &self,
        record: &ActorRecord,
        address: &AddressRef,
        state: &StateRef<'_>,
    ) -> Result<RestoredParts, NoState> {
        let (image, kinds, system) = (&self.image, &self.kinds, &address.system);
        let Content::State(encoded) = &record.content else {
            return Err(NoState::NotInImage);
        };
        let class = kinds.class(&record.class);
        let class = class.ok_or_else(|| NotRestored::NoType {
            actor: record.id,
            type_name: record.class.clone(),
        })?;
        if (class.type_id)() != (address.class.type_id)() {
            return Err(NoState::NotInImage);
        }
        let loaded = LoadedActors::new(self.living.clone(), kinds.clone());
        let restored_system = RestoredSystem(system.clone());
        let living = self.living.clone();
        let cells = CellsById(Box::new(move |id| Some(living.actor(id)?.cell())));
        // Those that wait for the values have them, or have been told that none comes.
        let resolvers = LoadedPromises {
            take: Box::new(|_, _| None),
            results: kinds.values().results().clone(),
        };
        let receiver = Receiver::default();
        let numbered = NumberedTables::living();
        let trees = LoadedTrees::new(iter::empty());
        let contexts: [&dyn Any; 8] = [
            &receiver,
            &numbered,
            &loaded,
            &resolvers,
            &restored_system,
            &RunningSystem,
            &cells,
            &trees,
        ];
        let comparison = Comparison::new(&image.shapes);
        // Objects of other heaps go to heaps of their own: the present ones have others.
        let named = &image.shared.named_heaps;
        let heaps = image.heaps_for(
            system,
            &comparison,
            HeapNumbers::New,
            |number, heap| heap.actor == Some(record.id) || named.binary_search(&number).is_ok(),
            |id| (id == record.id).then(|| address.cell()),
        )?;
        let decoders = heaps.values(&contexts);
        let values = Values {
            kinds,
            comparison: &comparison,
            heaps: &heaps,
            message_kinds: &image.kinds,
            contexts: &contexts,
            receiver: &receiver,
            values: &decoders,
        };
        let step = image.step_of(record.id);
        let locals = values.locals(address, step, record.locals.as_ref())?;
        let find = |id| self.living.actor(id);
        let notices = restored_notices(&record.watches, &values, find)?;
        let in_heap = (image.heap_of(record.id), locals);
        let loaded = values.state(address, encoded, in_heap, notices)?;
        let loaded = loaded.ok_or(NoState::NotInImage)?;
        let step = step.map(|step| values.message(address, step));
        let step = step.transpose()?;
        let promises = OpenPromises::default();
        promises.open_of(record, address, state, kinds)?;
        let sinks = promises.load_of(address, record, &values)?;
        let is_reply = |wait: &ExclusiveWait| wait.purpose == WaitPurpose::Reply;
        if !sinks.waits().iter().all(is_reply) {
            return Err(NoState::NotInImage);
        }
        drop(decoders);
        let mut heaps = heaps.finish(&contexts).map_err(NotRestored::Heaps)?;
        // From here on nothing fails.
        let resolvers = promises.take_resolvers();
        let system = system.clone();
        let error = AskError::Broken(Arc::new(Inside {
            actor: address.path(),
            behaviour: Name::new("a restore of its state"),
        }));
        Ok(RestoredParts {
            put: Box::new(move |cell, phase| {
                loaded.put(cell, &mut heaps);
                add_detached(&system, heaps, phase);
                sinks.set()
            }),
            step,
            break_promises: Box::new(move || {
                for resolver in resolvers {
                    resolver.fail(error.clone());
                }
            }),
        })
    }
}

impl From<NotRestored> for NoState {
    fn from(error: NotRestored) -> NoState {
        NoState::NotRestored(error)
    }
}

impl fmt::Display for NoState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoState::NotInImage => f.write_str("the snapshots have no state of it"),
            NoState::NotRestored(error) => write!(f, "{error}"),
            NoState::RunsAgain(behaviour) => write!(
                f,
                "it would go on there with {behaviour}, in which it has failed"
            ),
        }
    }
}
