//! Each kind of sink, as a walk of the list of open promises finds it between two turns.

use super::open_slots::each_open;
use super::receiver::{ActorName, Receiver, SlotName};
use super::sink_data::{JoinData, JoinKind, SinkData, SinkKind};
use crate::actor::{StateRef, WaitPurpose};
use crate::api::{Actor, Address, Resolver, Turn};
use crate::interned::Name;
use crate::prelude::*;
use crate::simulation::Simulation;
use std::cell::RefCell;
use std::time::Duration;

/// The number of an open promise, and what is done with its value. `None`: it was carried out of
/// its turn.
type SlotData = (u64, Option<SinkData>);

/// Returns the open promises of an actor that the caller holds, the newest first.
fn open_slots(owner: &StateRef<'_>) -> Vec<SlotData> {
    let mut slots = Vec::new();
    each_open(owner, |number, sink, _| {
        let sink = sink.map(|sink| sink.link().data());
        slots.push((number, sink));
    });
    slots
}

thread_local! {
    static CARRIED: RefCell<Option<Promise<u64>>> = const { RefCell::new(None) };
}

/// Keeps what it is asked for.
#[derive(Actor, Default)]
struct Shelf {
    books: Vec<Resolver<u64>>,
    shelves: Vec<Resolver<Address<Shelf>>>,
}

#[behaviours]
impl Shelf {
    fn take(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.books.push(resolver);
        promise
    }

    fn next(&mut self, t: &Turn<Self>) -> Promise<Address<Shelf>> {
        let (promise, resolver) = t.promise();
        self.shelves.push(resolver);
        promise
    }

    fn put(&mut self, _book: u64) -> u64 {
        0
    }

    fn gives(&mut self, which: usize, book: u64) {
        self.books.remove(which).resolve(book);
    }
}

/// What a desk does with one promise, or with several.
#[derive(Clone, Copy)]
enum Way {
    Drops,
    Sends,
    Continues,
    ByClosure,
    Passes,
    Maps,
    Limits,
    Waits,
    AllSettled,
    All,
    Any,
    Quorum,
    Pipelines,
    Carries,
}

#[derive(Actor)]
struct Desk {
    shelf: Address<Shelf>,
}

#[behaviours]
impl Desk {
    fn opens(&mut self, t: &Turn<Self>, way: Way) {
        let ask = || t.ask(self.shelf.take());
        match way {
            Way::Drops => drop(ask()),
            Way::Sends => ask().then_send(t.me().taken(7)),
            Way::Continues => ask().then(t.me().taken(7)).then_send(t.me().taken(8)),
            Way::ByClosure => drop(ask().then_local(t, |_, _, _| ())),
            Way::Passes => drop(ask().pass_to(&self.shelf, ShelfHandle::put)),
            Way::Maps => ask().map(|book| book + 1).then_send(t.me().taken(7)),
            Way::Limits => drop(ask().within(Duration::from_secs(1))),
            Way::Waits => drop(ask().exclusive()),
            Way::AllSettled => drop(t.all_settled([ask(), ask()])),
            Way::All => drop(t.all([ask(), ask()])),
            Way::Any => drop(t.any([ask(), ask()])),
            Way::Quorum => drop(t.quorum(2, [ask(), ask(), ask()])),
            Way::Pipelines => {
                let next = t.pipeline(t.ask(self.shelf.next()));
                next.send(|next| next.put(1));
                next.ask(t, |next| next.take()).then_send(t.me().taken(7));
            }
            Way::Carries => CARRIED.set(Some(ask())),
        }
    }

    #[then]
    fn taken(&mut self, book: Result<u64, AskError>, more: u64) -> u64 {
        book.map_or(0, |book| book + more)
    }

    fn returns(&self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.shelf.take())
    }

    fn returns_or_not(&self, t: &Turn<Self>) -> Result<Promise<u64>, String> {
        Ok(t.ask(self.shelf.take()))
    }
}

/// Delegates to a desk.
#[derive(Actor)]
struct Hall {
    desk: Address<Desk>,
}

#[behaviours]
impl Hall {
    fn in_time(&self, t: &Turn<Self>) -> Promise<u64> {
        t.delegate(self.desk.returns())
            .within(Duration::from_secs(1))
    }

    fn or_not(&self, t: &Turn<Self>) -> Result<Promise<u64>, String> {
        Ok(t.delegate(self.desk.returns()))
    }
}

/// Asks a desk or a hall.
#[derive(Actor, Default)]
struct Guest;

#[behaviours]
impl Guest {
    fn asks(&self, t: &Turn<Self>, desk: Address<Desk>) {
        // The second is not the first: what leads there names its number.
        drop(t.promise::<()>().0.then_local(t, |_, _, _| ()));
        t.ask(desk.returns()).then_send(t.me().taken());
        drop(t.ask(desk.returns_or_not()));
    }

    fn asks_hall(&self, t: &Turn<Self>, hall: Address<Hall>) {
        t.ask(hall.in_time()).then_send(t.me().taken());
        drop(t.ask(hall.or_not()));
    }

    #[then]
    fn taken(&mut self, _book: Result<u64, AskError>) {}
}

/// Starts when its state comes, and ends when a shelf lets it.
#[derive(Actor)]
struct Late {
    shelf: Address<Shelf>,
}

#[behaviours]
impl Late {
    #[start]
    fn new(t: &Turn<Self>, shelf: Address<Shelf>) -> Promise<Self> {
        let book = t.ask(shelf.take());
        book.map(|_| Late { shelf })
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(self.shelf.take()).map(|_| ())
    }
}

/// Has its state, and starts when a shelf lets it.
#[derive(Actor)]
#[actor(name = Ready)]
struct ReadyState<'gc> {
    shelves: Gc<'gc, u64>,
}

#[behaviours]
impl<'gc> ReadyState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Ready>, shelf: Address<Shelf>) -> (Self, Promise<()>) {
        let shelves = t.alloc(1);
        (ReadyState { shelves }, t.ask(shelf.take()).map(|_| ()))
    }

    fn shelves(&self) -> u64 {
        *self.shelves
    }
}

struct Scene {
    simulation: Simulation,
    shelf: Address<Shelf>,
    desk: Address<Desk>,
}

impl Scene {
    fn new() -> Scene {
        let simulation = Simulation::new(1);
        let shelf = simulation.system().spawn(Shelf::default());
        Scene {
            desk: simulation.system().spawn(Desk {
                shelf: shelf.clone(),
            }),
            shelf,
            simulation,
        }
    }

    fn name<A: Actor>(address: &Address<A>) -> ActorName {
        ActorName::of(&Address::link(address).to)
    }

    /// The open promises of an actor, the oldest first.
    fn open<A: Actor>(&self, address: &Address<A>) -> Vec<SlotData> {
        // No alarm is that early.
        self.simulation.run_for(Duration::from_millis(1));
        let Ok(mut idle) = Address::link(address).to.cell().hold_idle() else {
            panic!("{} is not parked", Address::path(address));
        };
        let mut slots = open_slots(&idle.state());
        idle.park();
        let newest_first = slots.is_sorted_by(|one, next| one.0 > next.0);
        assert!(newest_first, "{slots:?}");
        slots.reverse();
        slots
    }

    /// The open promises of a desk that did this.
    fn of(way: Way) -> (Scene, Vec<SlotData>) {
        let scene = Scene::new();
        scene.desk.opens(way).send();
        let slots = scene.open(&scene.desk);
        (scene, slots)
    }

    fn taken(&self) -> SinkKind {
        SinkKind::Then {
            target: Scene::name(&self.desk),
            behaviour: behaviour("Desk::taken"),
        }
    }

    fn to_own(&self, number: u64) -> Receiver {
        to(&self.desk, number)
    }
}

fn behaviour(name: &'static str) -> Name {
    Name::intern(&format!("{}::{name}", module_path!()))
}

fn to<A: Actor>(owner: &Address<A>, number: u64) -> Receiver {
    let owner = Scene::name(owner);
    Receiver::Slot(SlotName { owner, number })
}

fn slot(number: u64, kind: SinkKind, to: Receiver) -> SlotData {
    (number, Some(kind.to(to)))
}

#[test]
fn a_dropped_promise_is_not_wanted() {
    let (_scene, slots) = Scene::of(Way::Drops);
    assert_eq!(slots, [slot(1, SinkKind::Discard, Receiver::Nothing)]);
}

#[test]
fn a_continuation_names_its_actor_and_its_behaviour() {
    let (scene, slots) = Scene::of(Way::Sends);
    assert_eq!(slots, [slot(1, scene.taken(), Receiver::Nothing)]);
}

/// Its reply is the second promise, which is in the same list.
#[test]
fn a_continuation_leads_to_the_promise_of_its_reply() {
    let (scene, slots) = Scene::of(Way::Continues);
    let first = slot(1, scene.taken(), scene.to_own(2));
    assert_eq!(slots, [first, slot(2, scene.taken(), Receiver::Nothing)]);
}

#[test]
fn a_closure_is_named_and_not_data() {
    let (scene, slots) = Scene::of(Way::ByClosure);
    let target = Scene::name(&scene.desk);
    let local = slot(1, SinkKind::ThenLocal { target }, scene.to_own(2));
    assert_eq!(
        slots,
        [local, slot(2, SinkKind::Discard, Receiver::Nothing)]
    );
    let (scene, slots) = Scene::of(Way::Maps);
    let map = slot(1, SinkKind::Map, scene.to_own(2));
    assert_eq!(slots, [map, slot(2, scene.taken(), Receiver::Nothing)]);
    let (scene, slots) = Scene::of(Way::Passes);
    let target = Scene::name(&scene.shelf);
    let behaviour = behaviour("Shelf::put");
    let kind = SinkKind::PassTo { target, behaviour };
    assert_eq!(slots, [slot(1, kind, Receiver::Nothing)]);
}

#[test]
fn a_pipeline_names_the_messages_that_wait() {
    let (scene, slots) = Scene::of(Way::Pipelines);
    let waiting = vec![
        (behaviour("Shelf::put"), Receiver::Nothing),
        (behaviour("Shelf::take"), scene.to_own(2)),
    ];
    let pipeline = slot(1, SinkKind::Pipeline { waiting }, Receiver::Nothing);
    assert_eq!(slots, [pipeline, slot(2, scene.taken(), Receiver::Nothing)]);
}

#[test]
fn a_time_limit_names_its_time() {
    let (scene, slots) = Scene::of(Way::Limits);
    let [in_time, discards] = &slots[..] else {
        panic!("{slots:?}")
    };
    let sink = in_time.1.as_ref().expect("a final sink");
    let SinkKind::Limit { until_ns } = sink.kind else {
        panic!("{sink:?}")
    };
    assert!(until_ns >= 1_000_000_000, "{until_ns}");
    assert_eq!(sink.to, scene.to_own(2));
    assert_eq!(*discards, slot(2, SinkKind::Discard, Receiver::Nothing));
    // The alarm is first: the late value has no receiver.
    scene.simulation.run_for(Duration::from_secs(2));
    let kind = SinkKind::Limit { until_ns };
    assert_eq!(scene.open(&scene.desk), [slot(1, kind, Receiver::Nothing)]);
}

#[test]
fn a_wait_leads_to_the_promise_that_takes_the_place_of_the_first() {
    let (scene, slots) = Scene::of(Way::Waits);
    let purpose = WaitPurpose::Reply;
    let wait = slot(1, SinkKind::Wait { purpose }, scene.to_own(2));
    assert_eq!(slots, [wait, slot(2, SinkKind::Discard, Receiver::Nothing)]);
}

#[test]
fn a_join_names_its_promises_by_what_they_lead_to() {
    let data = |kind, at, missing, spare| JoinData {
        kind,
        at,
        missing,
        spare,
    };
    let ways = [
        (Way::All, JoinKind::All, 2, (2, 0)),
        (Way::Any, JoinKind::Any, 2, (1, 1)),
        (Way::Quorum, JoinKind::Quorum, 3, (2, 1)),
        (Way::AllSettled, JoinKind::AllSettled, 2, (2, 0)),
    ];
    for (way, kind, promises, (missing, spare)) in ways {
        let (scene, slots) = Scene::of(way);
        let (to, own) = (scene.to_own(promises + 1), promises + 1);
        let joined = (0..promises).map(|at| {
            let data = data(kind, at as usize, missing, spare);
            slot(at + 1, SinkKind::Join(data), to.clone())
        });
        let discards = slot(own, SinkKind::Discard, Receiver::Nothing);
        assert_eq!(slots, joined.chain([discards]).collect::<Vec<_>>());
    }
}

/// What has arrived is no open promise any more, and what is decided needs none.
#[test]
fn a_join_counts_what_has_arrived() {
    let (scene, _) = Scene::of(Way::Quorum);
    let shown = || {
        let joins = scene.open(&scene.desk).into_iter();
        let joins = joins.filter_map(|slot| match slot.1?.kind {
            SinkKind::Join(join) => Some((slot.0, join.at, join.missing)),
            _ => None,
        });
        joins.collect::<Vec<_>>()
    };
    assert_eq!(shown(), [(1, 0, 2), (2, 1, 2), (3, 2, 2)]);
    scene.shelf.gives(1, 5).send();
    assert_eq!(shown(), [(1, 0, 1), (3, 2, 1)]);
    scene.shelf.gives(0, 5).send();
    assert_eq!(shown(), [(3, 2, 0)]);
    let slots = scene.open(&scene.desk);
    let to: Vec<_> = slots
        .iter()
        .map(|slot| &slot.1.as_ref().unwrap().to)
        .collect();
    assert_eq!(to, [&Receiver::Nothing], "the join is decided");
}

#[test]
fn an_answer_names_the_promise_of_another_actor() {
    let scene = Scene::new();
    let guest = scene.simulation.system().spawn(Guest);
    guest.asks(scene.desk.clone()).send();
    let slots = scene.open(&scene.desk);
    let answers = slot(1, SinkKind::Answer, to(&guest, 3));
    let ok = Receiver::Ok(Box::new(to(&guest, 4)));
    assert_eq!(slots, [answers, slot(2, SinkKind::Answer, ok)]);
    let numbers: Vec<_> = scene.open(&guest).iter().map(|slot| slot.0).collect();
    assert_eq!(numbers, [3, 4], "the first two have their values");
    let _future = scene.desk.returns().ask();
    let slots = scene.open(&scene.desk);
    assert_eq!(slots[2], slot(3, SinkKind::Answer, Receiver::Outside));
}

/// The reply of a delegated message passes through a relay.
#[test]
fn an_answer_names_the_relays_that_it_passes_through() {
    let scene = Scene::new();
    let system = scene.simulation.system();
    let hall = system.spawn(Hall {
        desk: scene.desk.clone(),
    });
    let guest = system.spawn(Guest);
    guest.asks_hall(hall).send();
    let slots = scene.open(&scene.desk);
    let receivers = slots.iter().map(|slot| slot.1.as_ref().unwrap());
    let receivers: Vec<_> = receivers.map(|sink| (&sink.kind, &sink.to)).collect();
    let [
        (SinkKind::Answer, Receiver::InTime(until_ns, in_time)),
        (SinkKind::Answer, Receiver::Ok(or_not)),
    ] = &receivers[..]
    else {
        panic!("{receivers:?}")
    };
    assert!(*until_ns >= 1_000_000_000, "{until_ns}");
    assert_eq!(**in_time, to(&guest, 1));
    assert_eq!(**or_not, to(&guest, 2));
}

#[test]
fn a_start_and_an_end_wait_for_a_promise() {
    let scene = Scene::new();
    let late = Late::spawn(scene.simulation.system(), scene.shelf.clone());
    let kinds = |slots: Vec<SlotData>| {
        let kinds = slots.into_iter().map(|slot| slot.1.unwrap().kind);
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(scene.open(&late)),
        [SinkKind::Map, SinkKind::StartState]
    );
    scene.shelf.gives(0, 1).send();
    assert_eq!(scene.open(&late), []);
    Address::stop(&late);
    let wait = |purpose| SinkKind::Wait { purpose };
    let ready = Ready::spawn(scene.simulation.system(), scene.shelf.clone());
    let _waits = ready.shelves().ask();
    assert_eq!(
        kinds(scene.open(&late)),
        [SinkKind::Map, wait(WaitPurpose::Stop)]
    );
    assert_eq!(
        kinds(scene.open(&ready)),
        [SinkKind::Map, wait(WaitPurpose::Start)]
    );
}

#[test]
fn a_promise_that_was_carried_out_of_its_turn_has_no_final_sink() {
    let (scene, slots) = Scene::of(Way::Carries);
    let open = |sink| [(1, sink)];
    assert_eq!(slots, open(None));
    drop(CARRIED.take());
    let discards = SinkKind::Discard.to(Receiver::Nothing);
    assert_eq!(scene.open(&scene.desk), open(Some(discards)));
}
