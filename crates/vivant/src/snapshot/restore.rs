//! A system from an image.

use super::ended::EndedActors;
use super::image::{ActorRecord, Content, Image, MessageRecord};
use super::monitors::MonitorsRecord;
use super::not_restored::NotRestored;
use super::paths::path_of;
use super::restored_tables::RestoredTables;
use crate::actor::{
    ActorPath, AddressRef, Birth, CellRef, CellsById, Class, Envelope, LinkedPeer, Refusal,
    SavedClass, Shared, Signals, StateRef, To, post_or_bury,
};
use crate::api::{
    ActorsById, LoadedActors, RestoredSystem, SavedForm, SavedKind, SavedKinds, register,
};
use crate::interned::Place;
use crate::run::Idle;
use crate::sync::Arc;
use std::any::Any;
use std::collections::BTreeMap;
use vivant_codec::Decoder;

/// The actors of a restored system, by their ids. They keep the actors alive.
pub(super) type Actors = BTreeMap<u64, AddressRef>;

/// Fills a new system with what `image` contains. No actor of it runs before this returns.
pub(super) fn restore(
    system: &Arc<Shared>,
    image: &Image,
    kinds: &Arc<SavedKinds>,
) -> Result<Arc<Actors>, NotRestored> {
    system.set_numbers(image.system.numbers);
    system.set_link_number(image.monitors.next_link);
    system.oracle.continue_at(image.system.clock_ns);
    let actors = Arc::new(make_actors(system, image, kinds)?);
    let ended = EndedActors::new(system, &image.ended, image.system.numbers.0);
    let by_id = Arc::new(ById {
        actors: actors.clone(),
        ended,
    });
    let loaded = LoadedActors::new(by_id.clone(), kinds.clone());
    let restored_system = RestoredSystem(system.clone());
    let cells = by_id.clone();
    let cells = CellsById(Box::new(move |id| Some(cells.actor(id)?.cell())));
    let contexts: [&dyn Any; 3] = [&loaded, &restored_system, &cells];
    for record in &image.actors {
        if let Some(address) = actors.get(&record.id) {
            load_state(address, record, &contexts)?;
        }
    }
    let load = |record: &MessageRecord| load_message(record, kinds, &contexts);
    let mut held = Held::all(&actors);
    for record in &image.steps {
        held.actor(record.actor)?.set_step(load(record)?);
    }
    let refused = restore_monitors(&image.monitors, &mut held, &*by_id, &load)?;
    let mut messages = Vec::new();
    for record in &image.waiting {
        let actor = record.actor;
        let to = actors.get(&actor).ok_or(NotRestored::NoActor(actor))?;
        messages.push((to, load(record)?));
    }
    for record in &image.actors {
        if let Content::Start(name, args) = &record.content
            && let Some(to) = actors.get(&record.id)
        {
            let start = load_start(record.id, name, args, kinds, &contexts)?;
            post_or_bury(To::Lent(to), start);
        }
    }
    for (to, message) in messages {
        post_or_bury(To::Lent(to), message);
    }
    let tables = RestoredTables {
        system,
        actors: &actors,
        by_id,
        kinds,
        load: &load,
    };
    tables.fill(&image.tables)?;
    for (watch, of_ended) in refused {
        watch.refuse(&Refusal::ended(of_ended)).follow();
    }
    for id in &image.monitors.stops {
        let stopped = actors.get(id).ok_or(NotRestored::NoActor(*id))?;
        stopped.cell().signal(Signals::STOP);
    }
    drop(held);
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
        .class(record.class)
        .ok_or_else(|| NotRestored::NoType {
            actor: record.id,
            class: record.class.to_owned(),
        })
}

fn load_state(
    address: &AddressRef,
    record: &ActorRecord,
    contexts: &[&dyn Any],
) -> Result<(), NotRestored> {
    let (Content::State(bytes), SavedClass::State(functions)) =
        (&record.content, &address.class.saved)
    else {
        return Ok(());
    };
    let Ok(mut idle) = address.cell().hold_idle() else {
        return Ok(());
    };
    let mut input = Decoder::new(bytes).with_contexts(contexts);
    let state: &mut StateRef<'_> = &mut idle.state();
    let loaded = (functions.load)(state, &mut input, None).and_then(|()| input.finish());
    idle.park();
    let actor = record.id;
    loaded.map_err(|error| NotRestored::Value { actor, error })
}

fn load_start(
    actor: u64,
    name: &str,
    args: &[u8],
    kinds: &SavedKinds,
    contexts: &[&dyn Any],
) -> Result<Envelope, NotRestored> {
    let mut all = kinds.kinds();
    let is_start = |kind: &SavedKind| kind.form == SavedForm::Start && kind.name == name;
    match all.find(is_start) {
        Some(kind) => load_content(actor, kind, Place::caller(), args, kinds, contexts),
        None => Err(NotRestored::NoType {
            actor,
            class: name.to_owned(),
        }),
    }
}

fn load_message(
    record: &MessageRecord,
    kinds: &SavedKinds,
    contexts: &[&dyn Any],
) -> Result<Envelope, NotRestored> {
    let (name, form) = (record.name, record.form);
    let kind = SavedKind { name, form };
    let (actor, content) = (record.actor, &record.content);
    load_content(actor, kind, record.made, content, kinds, contexts)
}

fn load_content(
    actor: u64,
    kind: SavedKind,
    made: Place,
    content: &[u8],
    kinds: &SavedKinds,
    contexts: &[&dyn Any],
) -> Result<Envelope, NotRestored> {
    let table = kinds.kind(kind).and_then(|table| table.codec);
    let codec = table.ok_or(NotRestored::NoKind { actor, kind })?;
    let mut input = Decoder::new(content).with_contexts(contexts);
    let loaded = codec.load(&mut input, None, made);
    let loaded = loaded.and_then(|message| input.finish().map(|()| message));
    loaded.map_err(|error| NotRestored::Value { actor, error })
}

/// Gives the actors their links and watches. Returns the watches of actors that have ended, with
/// these: they are to be refused when each actor has its messages.
fn restore_monitors(
    monitors: &MonitorsRecord,
    held: &mut Held,
    by_id: &dyn ActorsById,
    load: &dyn Fn(&MessageRecord) -> Result<Envelope, NotRestored>,
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
        let (watch, id) = (load(record)?, record.actor);
        match held.actor(id) {
            Ok(idle) => idle.add_watch(watch),
            Err(no_actor) => {
                let ended = by_id.actor(id).ok_or(no_actor)?;
                refused.push((watch, ended.cell()));
            }
        }
    }
    Ok(refused)
}

/// All actors, which do not run as long as they are held.
struct Held(BTreeMap<u64, Idle>);

impl Held {
    fn all(actors: &Actors) -> Held {
        let hold = |(id, address): (&u64, &AddressRef)| {
            let idle = address.cell().hold_idle().ok()?;
            Some((*id, idle))
        };
        Held(actors.iter().filter_map(hold).collect())
    }

    fn actor(&mut self, id: u64) -> Result<&mut Idle, NotRestored> {
        self.0.get_mut(&id).ok_or(NotRestored::NoActor(id))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for idle in std::mem::take(&mut self.0).into_values() {
            idle.resume();
        }
    }
}

struct ById {
    actors: Arc<Actors>,
    ended: EndedActors,
}

impl ActorsById for ById {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        let living = self.actors.get(&id).cloned();
        living.or_else(|| self.ended.actor(id))
    }

    fn resolver(&self, _: u64, _: u64) -> Option<Box<dyn Any>> {
        None
    }
}
