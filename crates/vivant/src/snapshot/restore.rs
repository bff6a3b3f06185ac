//! A system from an image.

use super::by_id::{Actors, ById};
use super::death_watches::restored_notices;
use super::ended::EndedActors;
use super::held::Held;
use super::image::{ActorRecord, Content, Image, SharedRecord};
use super::monitors::MonitorsRecord;
use super::not_restored::NotRestored;
use super::paths::Paths;
use super::promises::OpenPromises;
use super::restored_memberships::{restore_groups, restore_topics};
use super::restored_synchronizers::{Marks, RestoredOffers, restore_synchronizers};
use super::restored_tables::RestoredTables;
use super::restored_trees::RestoredTrees;
use super::stopping::restore_stopping;
use super::values::Values;
use crate::actor::{
    AddressRef, Birth, CellRef, CellsById, Class, Envelope, LinkedPeer, Loaded, Receiver, Refusal,
    Shared, Signals, To, WaitsAs, post_or_bury,
};
use crate::api::{ActorsById, LoadedActors, LoadedPromises, RestoredSystem, SavedKinds, register};
use crate::constraints::Constraints;
use crate::gc_state::add_detached;
use crate::patterns::{NumberedTables, SubscriptionNumbers, TableNumbers};
use crate::sync::Arc;
use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use vivant_codec::Comparison;
use vivant_heap::HeapNumbers;

/// Fills a new system with what `image` contains. After an error each actor that was made ends
/// before it takes a message: promises that the image has open are broken then.
pub(super) fn restore(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &Arc<SavedKinds>,
) -> Result<Arc<Actors>, NotRestored> {
    system.set_numbers(image.system.numbers);
    system.set_link_number(image.shared.monitors.next_link);
    // Before any code runs that may set an alarm.
    let next_timer = image.shared.tables.number_behind_timers()?;
    system.timers.number_behind(next_timer);
    let next_subscription = image.shared.tables.number_behind_subscriptions()?;
    SubscriptionNumbers::of(system).number_behind(next_subscription);
    let next_table = image.shared.tables.number_behind_tables()?;
    TableNumbers::of(system).number_behind(next_table);
    let next_synchronizer = image.shared.tables.number_behind_synchronizers()?;
    Constraints::of(system).set_next_number(next_synchronizer);
    image.check_numbers_of_heaps()?;
    system.heaps.number_heaps_from(image.system.next_heap);
    system.oracle.continue_at(image.system.clock_ns);
    let actors = Arc::new(make_actors(system, image, kinds)?);
    let filled = fill(system, image, kinds, &actors);
    if filled.is_err() {
        let stop = |actor: &AddressRef| actor.cell().signal(Signals::STOP);
        actors.values().for_each(stop);
    }
    filled.map(|()| actors)
}

/// Gives the actors what they had. The messages are posted last: an error comes before any of them.
fn fill(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &Arc<SavedKinds>,
    actors: &Arc<Actors>,
) -> Result<(), NotRestored> {
    let SharedRecord {
        tables,
        monitors,
        ended,
        orders: _,
        stopping,
        named_heaps: _,
    } = &image.shared;
    let trees = RestoredTrees::new(image, actors)?;
    let promises = Rc::new(OpenPromises::default());
    let by_id = Rc::new(ById {
        actors: actors.clone(),
        ended: EndedActors::new(system, ended, image.system.numbers.0),
    });
    let loaded = LoadedActors::new(by_id.clone(), kinds.clone());
    let restored_system = RestoredSystem(system.clone());
    let cells = by_id.clone();
    let cells = CellsById(Box::new(move |id| Some(cells.actor(id)?.cell())));
    let resolvers = promises.clone();
    let resolvers = LoadedPromises {
        take: Box::new(move |owner, number| resolvers.resolver((owner, number))),
        results: kinds.values().results().clone(),
    };
    let receiver = Receiver::default();
    let numbered = NumberedTables::default();
    let contexts: [&dyn Any; 7] = [
        &receiver,
        &numbered,
        &loaded,
        &resolvers,
        &restored_system,
        &cells,
        trees.loaded(),
    ];
    let comparison = Comparison::new(&image.shapes);
    let heaps = image.heaps_for(
        system,
        &comparison,
        HeapNumbers::Kept,
        |_, _| true,
        |id| Some(actors.get(&id)?.cell()),
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
    promises.open(image, actors, kinds)?;
    restore_groups(&tables.groups, (system, &numbered), actors, &values)?;
    restore_topics(&tables.topics, system, actors, &values)?;
    let (mut messages, mut in_heaps) = (Vec::new(), BTreeMap::new());
    for record in &image.actors {
        if let Some(address) = actors.get(&record.id) {
            match &record.content {
                Content::State(state) => {
                    let step = image.step_of(record.id);
                    let locals = values.locals(address, step, record.locals.as_ref())?;
                    let in_heap = (image.heap_of(record.id), locals);
                    let find = |id| actors.get(&id).cloned();
                    let notices = restored_notices(&record.watches, &values, find)?;
                    let loaded = values.state(address, state, in_heap, notices)?;
                    match loaded.map(|loaded| loaded.0) {
                        Some(Loaded::Inline(put)) => {
                            if let Ok(mut idle) = address.cell().hold_idle() {
                                put(&mut idle.state());
                                idle.park();
                            }
                        }
                        Some(Loaded::InHeap(put)) => {
                            in_heaps.insert(record.id, put);
                        }
                        None => {}
                    }
                }
                Content::Start(start) => messages.push((address, values.start(address, start)?)),
                Content::Unstarted => {}
            }
            promises.load(address, record, &values)?;
        }
    }
    let mut held = Held::all(actors);
    for record in &image.steps {
        let to = actors.get(&record.actor);
        let to = to.ok_or(NotRestored::NoActor(record.actor))?;
        let step = values.message(to, &record.message)?;
        held.actor(record.actor)?.set_step(step);
    }
    trees.supervise(&mut held, &by_id, &values, |id| in_heaps.contains_key(&id))?;
    restore_stopping(stopping, |id| trees.has_supervisor(id), &mut held)?;
    let refused = restore_monitors(monitors, &mut held, &by_id, &values)?;
    restore_synchronizers(tables, system, &mut held, &values)?;
    let offers = RestoredOffers::new(&image.waiting, &values)?;
    offers.give(system, &mut held)?;
    let mut marks = Marks::default();
    for record in &image.waiting {
        let to = actors.get(&record.actor);
        let to = to.ok_or(NotRestored::NoActor(record.actor))?;
        let message = match record.message.waits_as {
            WaitsAs::Message | WaitsAs::Offered(_) | WaitsAs::Committed => {
                let mut message = values.message(to, &record.message)?;
                message.set_restored_mark(marks.of(record));
                Some(message)
            }
            WaitsAs::Arrival(promise) => {
                let named = (record.actor, promise);
                promises.arrival(to, named, &record.message, &values)?
            }
        };
        messages.extend(message.map(|message| (to, message)));
    }
    let tables = RestoredTables::load(tables, system, actors, &values, &by_id)?;
    trees.begin(&mut held, &by_id)?;
    drop(decoders);
    let mut heaps = heaps.finish(&contexts).map_err(NotRestored::Heaps)?;
    for (id, put) in in_heaps {
        let idle = held.actor(id)?;
        put(&mut idle.state(), &mut heaps);
        idle.heap_has_come();
    }
    add_detached(system, heaps, system.passes.now().phase());
    for (to, message) in messages {
        post_or_bury(To::Lent(to), message);
    }
    tables.fill();
    for (watch, of_ended) in refused {
        watch.refuse(&Refusal::ended(of_ended)).follow();
    }
    for id in &monitors.stops {
        if let Some(stopped) = actors.get(id) {
            stopped.cell().signal(Signals::STOP);
        }
    }
    promises.break_unresolved(image, &*by_id);
    drop(held);
    Ok(())
}

/// Makes the cells, without states.
fn make_actors(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &SavedKinds,
) -> Result<Actors, NotRestored> {
    let mut paths = Paths::default();
    let mut records: Vec<_> = image.actors.iter().collect();
    // Parents first.
    records.sort_by_key(|record| record.path.len());
    let mut actors = Actors::new();
    for record in records {
        if record.id >= image.system.numbers.0 {
            return Err(NotRestored::NumberInUse(record.id));
        }
        let class = class_of(record, kinds)?;
        let (number, above) = match record.path.split_last() {
            Some((number, above)) => (*number, above),
            None => (0, &[][..]),
        };
        let parent = paths.path_of(above);
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
            paths.insert(own);
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

/// Gives the actors their links and watches. Returns the watches of actors that have ended, with
/// these: they are to be refused when each actor has its messages.
fn restore_monitors(
    monitors: &MonitorsRecord,
    held: &mut Held,
    by_id: &ById,
    values: &Values<'_>,
) -> Result<Vec<(Envelope, CellRef)>, NotRestored> {
    for link in &monitors.links {
        let peer = by_id.actor(link.peer);
        let peer = peer.ok_or(NotRestored::NoActor(link.peer))?.cell();
        let number = link.number;
        held.actor(link.actor)?
            .add_link(LinkedPeer { peer, number });
    }
    let mut refused = Vec::new();
    for record in &monitors.watches {
        let id = record.actor;
        let watched = by_id.actor(id).ok_or(NotRestored::NoActor(id))?;
        let watch = values.message(&watched, &record.message)?;
        match held.actor(id) {
            Ok(idle) => idle.add_watch(watch),
            Err(_) => refused.push((watch, watched.cell())),
        }
    }
    Ok(refused)
}
