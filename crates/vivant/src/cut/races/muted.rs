//! Senders that are held back by an overloaded receiver.

use super::*;
use crate::simulation::Faults;

/// Messages of the receiver. They last longer than a cut.
const FLOOD: u64 = 400;

fn is_someone_muted(system: &System) -> bool {
    let actors = system.inspect().actors;
    actors.iter().any(|actor| actor.muted_by.is_some())
}

#[test]
fn a_sender_that_is_held_back_is_in_the_cut_with_its_messages() {
    let seeds = if cfg!(miri) { 1 } else { 40 };
    for seed in 0..seeds {
        let builder = System::builder().overload(4);
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let system = simulation.system().clone();
        let (sender, receiver) = (system.spawn(doer()), system.spawn(doer()));
        (0..FLOOD).for_each(|_| receiver.plain(1).send());
        let to = receiver.clone();
        let sends: Code = Box::new(move |me, t| {
            me.sum = 100;
            t.send(to.plain(1));
        });
        sender.run(sends).send();
        assert!(simulation.run_until(|| is_someone_muted(&system)));
        let before = [10, 11, 12];
        before
            .iter()
            .for_each(|amount| sender.plain(*amount).send());
        let (mut coordinator, log) = begin(&system);
        sender.plain(13).send();
        let outcome = finish_simulated(&mut coordinator, &simulation);
        assert_eq!(outcome, Outcome::Consistent);
        assert!(is_someone_muted(&system), "seed {seed}: the flood is over");
        let all = log.all();
        assert!(log.has(&Event::Muted(id(&sender))), "{all:?}");
        assert!(log.has(&Event::Captured(id(&sender), Some(100))), "{all:?}");
        let of = |actor: u64| {
            let amount_of = move |event: &Event| match event {
                Event::Waits(at, amount) if *at == actor => *amount,
                _ => None,
            };
            all.iter().filter_map(amount_of).collect::<Vec<u64>>()
        };
        assert_eq!(of(id(&sender)), before, "seed {seed}");
        let sum_of = |event: &Event| match event {
            Event::Captured(actor, sum) if *actor == id(&receiver) => *sum,
            _ => None,
        };
        let taken = all.iter().find_map(sum_of).expect("it is captured");
        let waiting = of(id(&receiver)).len() as u64;
        assert_eq!(taken + waiting, FLOOD + 1, "seed {seed}");
    }
}
