//! The heap of an ended actor, which is freed between two steps of a cut.

use super::*;
use crate::heap::{Object, Parcel, Val};

/// Outlives the actor that has made it.
#[derive(Object)]
struct Card<'gc> {
    address: Address<Doer>,
    before: Option<Val<'gc, Card<'gc>>>,
}

#[derive(Actor)]
struct WriterState<'gc> {
    newest: Option<Val<'gc, Card<'gc>>>,
}

#[behaviours]
impl<'gc> WriterState<'gc> {
    #[start]
    fn new() -> Self {
        WriterState { newest: None }
    }

    fn write(
        &mut self,
        t: &Turn<'gc, Writer>,
        address: Address<Doer>,
    ) -> Parcel<Val<'static, Card<'static>>> {
        let before = self.newest;
        let card = t.val(Card { address, before });
        self.newest = Some(card);
        t.pack(card)
    }
}

/// What a cut has that begins some steps after an actor was told to drop the card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    /// The card.
    Card,
    /// The actor that it names, and not the card.
    Named,
    /// The named actor ended before the line.
    Neither,
}

/// Returns that too: whether the heap was freed while the cut was taken.
fn seen_after(steps: usize, seed: u64) -> (Seen, bool) {
    let simulation = Simulation::new(seed);
    let system = simulation.system().clone();
    let (reader, named) = (system.spawn(doer()), system.spawn(doer()));
    let named_id = id(&named);
    let writer = Writer::spawn(&system);
    let card = writer.write(named).ask_blocking().expect("it writes");
    Address::stop(&writer);
    simulation.run();
    let heaps = || system.inspect().detached_heaps;
    assert_eq!(heaps(), 1);
    let forgets: Code = Box::new(move |me, _| {
        drop(card);
        me.sum = 1;
    });
    reader.run(forgets).send();
    for _ in 0..steps {
        simulation.step();
    }
    let before = heaps();
    let (mut coordinator, log) = begin(&system);
    let outcome = finish_simulated(&mut coordinator, &simulation);
    assert_eq!(outcome, Outcome::Consistent);
    let is_freed_meanwhile = heaps() < before;
    simulation.run();
    assert_eq!((heaps(), system.inspect().actors.len()), (0, 1));
    let has_card = log.has(&Event::Captured(id(&reader), Some(0)));
    let has_named = log.has(&Event::Captured(named_id, Some(0)));
    let seen = match (has_card, has_named) {
        (true, true) => Seen::Card,
        (false, true) => Seen::Named,
        (false, false) => Seen::Neither,
        (true, false) => panic!("seed {seed}, {steps} steps: {:?}", log.all()),
    };
    (seen, is_freed_meanwhile)
}

#[test]
fn an_actor_is_in_a_cut_that_has_its_address_in_a_detached_heap() {
    let (seeds, steps) = if cfg!(miri) { (1, 4) } else { (20, 40) };
    let cuts = (0..seeds).flat_map(|seed| (0..steps).map(move |steps| seen_after(steps, seed)));
    let cuts: Vec<_> = cuts.collect();
    if cfg!(miri) {
        return;
    }
    for seen in [Seen::Card, Seen::Named, Seen::Neither] {
        let has_seen = |(cut, _): &(Seen, bool)| *cut == seen;
        assert!(cuts.iter().any(has_seen), "no cut has seen {seen:?}");
    }
    let is_freed_meanwhile = |(_, is_freed): &(Seen, bool)| *is_freed;
    assert!(
        cuts.iter().any(is_freed_meanwhile),
        "no heap is freed beside a cut"
    );
}
