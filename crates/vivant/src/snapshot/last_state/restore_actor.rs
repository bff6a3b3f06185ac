//! [`restore_actor`]: the state that an image has of an actor, into the cell of that actor.

use super::super::image::{Content, Image};
use super::super::not_restored::NotRestored;
use super::super::promises::OpenPromises;
use super::super::values::Values;
use super::living::LivingActors;
use crate::actor::{AskError, CellsById, ExclusiveWait, Receiver, WaitPurpose};
use crate::api::{ActorsById, LoadedActors, LoadedPromises, RestoredSystem, SavedKinds};
use crate::failures::Inside;
use crate::interned::Name;
use crate::patterns::NumberedTables;
use crate::run::Idle;
use crate::supervision::LoadedTrees;
use crate::sync::Arc;
use crate::wait_for::WaitForGraph;
use std::any::Any;
use std::fmt;
use std::iter;
use std::rc::Rc;
use vivant_codec::Comparison;

/// Why an image gives an actor no state.
#[derive(Debug)]
pub(super) enum NoState {
    /// The image has no state of it: it had not begun, or was about to end.
    NotInImage,
    NotRestored(NotRestored),
}

/// Gives an actor that is down the state that it has in `image`, which has this actor alone.
/// Returns what breaks the promises that it had open. That sends messages, so it is for a turn: an
/// image has either the open promise or the message.
///
/// After an error the actor is as before.
pub(super) fn restore_actor(
    held: &mut Idle,
    image: &Image,
    kinds: &Arc<SavedKinds>,
) -> Result<Box<dyn FnOnce() + Send>, NoState> {
    let system = held.system.clone();
    let record = image.actors.first().ok_or(NoState::NotInImage)?;
    let Content::State(state) = &record.content else {
        return Err(NoState::NotInImage);
    };
    let address = held.cell().upgrade().ok_or(NoState::NotInImage)?;
    let class = kinds.class(&record.class);
    let class = class.ok_or_else(|| NotRestored::NoType {
        actor: record.id,
        type_name: record.class.clone(),
    })?;
    if (class.type_id)() != (address.class.type_id)() {
        return Err(NoState::NotInImage);
    }
    let by_id = Rc::new(LivingActors::of(&system, &image.shared.ended));
    let loaded = LoadedActors::new(by_id.clone(), kinds.clone());
    let restored_system = RestoredSystem(system.clone());
    let cells = CellsById(Box::new(move |id| Some(by_id.actor(id)?.cell())));
    // Those that wait for the values have them, or have been told that none comes.
    let resolvers = LoadedPromises {
        take: Box::new(|_, _| None),
        results: kinds.values().results().clone(),
    };
    let receiver = Receiver::default();
    let numbered = NumberedTables::living();
    let trees = LoadedTrees::new(iter::empty());
    let contexts: [&dyn Any; 7] = [
        &receiver,
        &numbered,
        &loaded,
        &resolvers,
        &restored_system,
        &cells,
        &trees,
    ];
    let values = Values {
        kinds,
        comparison: &Comparison::new(&image.shapes),
        objects: &image.objects.contents,
        message_kinds: &image.kinds,
        contexts: &contexts,
        receiver: &receiver,
    };
    let promises = OpenPromises::default();
    promises.open_of(record, &address, &held.state(), kinds)?;
    let waits = promises.load_of(&address, record, &values)?;
    let mut waits = Waits {
        graph: WaitForGraph::of(&system),
        actor: record.id,
        waits,
    };
    let is_reply = |wait: &ExclusiveWait| wait.purpose == WaitPurpose::Reply;
    if !waits.waits.iter().all(is_reply) {
        return Err(NoState::NotInImage);
    }
    let step = image.steps.first();
    let step = step.map(|step| values.message(&address, &step.message));
    let step = step.transpose()?;
    let spans = image.heaps.get(&record.id).cloned().unwrap_or_default();
    // Last: from here on nothing fails.
    values.load_state_of(held, state, spans)?;
    let waits = std::mem::take(&mut waits.waits);
    if !waits.is_empty() {
        held.waits_for(waits);
    }
    if let Some(step) = step {
        held.set_step(step);
    }
    let resolvers = promises.take_resolvers();
    let error = AskError::Broken(Arc::new(Inside {
        actor: address.path(),
        behaviour: Name::new("a restart with the last state"),
    }));
    Ok(Box::new(move || {
        for resolver in resolvers {
            resolver.fail(error.clone());
        }
    }))
}

/// Exclusive waits that the graph has. Dropped, they end.
struct Waits<'s> {
    graph: &'s WaitForGraph,
    actor: u64,
    waits: Vec<ExclusiveWait>,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        for wait in &self.waits {
            self.graph.end(self.actor, wait);
        }
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
        }
    }
}
