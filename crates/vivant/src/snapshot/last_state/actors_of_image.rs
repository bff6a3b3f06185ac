//! [`ActorsOfImage`]: the states that an image has, into the cells of actors of a running system.

use super::super::image::{ActorRecord, Content, Image};
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
    /// The actor was between two steps of the behaviour in which it has failed.
    StepHasFailed(Name),
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

    /// The behaviour of which an actor has a step to run.
    pub(super) fn step_of(&self, actor: u64) -> Option<&str> {
        let mut steps = self.image.steps.iter();
        let step = steps.find(|step| step.actor == actor)?;
        match &self.image.kinds.of(&step.message)?.what {
            WaitingKind::Message(kind) => Some(&kind.name),
            WaitingKind::Arrival(_) => None,
        }
    }

    /// Puts the state that `record` has into the cell of its actor, which has none and is held by
    /// the caller.
    ///
    /// After an error the actor is as before.
    pub(super) fn restore(
        &self,
        record: &ActorRecord,
        address: &AddressRef,
        state: &mut StateRef<'_>,
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
        let promises = OpenPromises::default();
        promises.open_of(record, address, state, kinds)?;
        let sinks = promises.load_of(address, record, &values)?;
        let is_reply = |wait: &ExclusiveWait| wait.purpose == WaitPurpose::Reply;
        if !sinks.waits().iter().all(is_reply) {
            return Err(NoState::NotInImage);
        }
        let step = image.steps.iter().find(|step| step.actor == record.id);
        let step = step.map(|step| values.message(address, &step.message));
        let step = step.transpose()?;
        let loaded = values.state(address, encoded, image.heap_of(record.id))?;
        drop(decoders);
        // Last: from here on nothing fails.
        let mut heaps = heaps.finish().map_err(NotRestored::Heaps)?;
        if let Some(loaded) = loaded {
            loaded.put(state, &mut heaps);
        }
        add_detached(system, heaps);
        let resolvers = promises.take_resolvers();
        let error = AskError::Broken(Arc::new(Inside {
            actor: address.path(),
            behaviour: Name::new("a restore of its state"),
        }));
        Ok(RestoredParts {
            waits: sinks.set(),
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
            NoState::StepHasFailed(behaviour) => write!(
                f,
                "it was between two steps of {behaviour} there, in which it has failed"
            ),
        }
    }
}
