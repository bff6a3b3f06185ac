//! Chains of an unusual form.

use crate::waits::ms;
use std::cell::RefCell;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor, Default)]
struct Effects {
    ran: u64,
    is_open: bool,
}

#[behaviours]
impl Effects {
    #[if_awaited]
    fn run(&mut self) -> u64 {
        self.ran += 1;
        self.ran
    }

    fn ran(&self) -> u64 {
        self.ran
    }

    #[when(self.is_open)]
    fn look(&mut self, _t: &Turn<Self>, asker: &Asker) -> u64 {
        u64::from(asker.is_waiting())
    }

    fn open(&mut self) {
        self.is_open = true;
    }

    fn left(&self, t: &Turn<Self>, asker: &Asker) -> Option<Duration> {
        asker.deadline().map(|limit| limit.saturating_sub(t.now()))
    }

    #[if_awaited]
    fn recurses(&self, t: &Turn<Self>, depth: u64) -> Promise<u64> {
        match depth {
            0 => Promise::ready(0),
            _ => t.ask(t.me().recurses(depth - 1)),
        }
    }
}

thread_local! {
    static OUTLIVES: RefCell<Option<Promise<u64>>> = const { RefCell::new(None) };
}

#[derive(Actor)]
struct Front {
    effects: Address<Effects>,
}

#[behaviours]
impl Front {
    fn delegates_in_time(&self, t: &Turn<Self>) -> Promise<u64> {
        t.delegate(self.effects.run()).within(ms(500))
    }

    fn left(&self, t: &Turn<Self>) -> Promise<Option<Duration>> {
        t.ask(self.effects.left()).within(ms(20_000))
    }

    fn begin(&self, t: &Turn<Self>) {
        let promise = t.ask(t.me().in_a_circle());
        OUTLIVES.with_borrow_mut(|outlives| *outlives = Some(promise));
    }

    /// Its answer is an answer to itself.
    fn in_a_circle(&self, t: &Turn<Self>) -> Promise<u64> {
        let promise = OUTLIVES.take().expect("`begin` has set it");
        t.any([promise, t.ask(self.effects.look())])
    }
}

fn front(system: &System) -> (Address<Front>, Address<Effects>) {
    let effects = system.spawn(Effects::default());
    let front = system.spawn(Front {
        effects: effects.clone(),
    });
    (front, effects)
}

#[test]
fn a_message_that_was_sent_and_delegated_with_a_limit_is_processed() {
    let simulation = Simulation::new(1);
    let (front, effects) = front(simulation.system());
    front.delegates_in_time().send();
    simulation.run();
    assert_eq!(effects.ran().ask_blocking(), Ok(1));
}

#[test]
fn a_look_along_a_chain_in_a_circle_ends() {
    let simulation = Simulation::new(1);
    let (front, effects) = front(simulation.system());
    front.begin().send();
    simulation.run_for(ms(5));
    effects.open().send();
    simulation.run_for(ms(5));
    assert_eq!(effects.ran().ask_blocking(), Ok(0));
}

/// The systems begin at different times.
#[test]
fn a_limit_of_another_system_is_seen_on_the_clock_of_this_one() {
    let asking = System::new();
    let _asking_actor = asking.spawn(Effects::default());
    std::thread::park_timeout(ms(200));
    let answering = System::new();
    let effects = answering.spawn(Effects::default());
    let front = asking.spawn(Front { effects });
    // While the asking turn has not ended, the limit is not seen.
    let left = (0..1_000).find_map(|_| front.left().ask_blocking().unwrap());
    assert!(left.is_some_and(|left| left <= ms(20_000)), "{left:?}");
}

/// Each of its turns looks along the chain, which has a link for each turn before.
#[test]
fn a_deep_recursion_of_awaited_requests_is_answered() {
    let depth = if cfg!(miri) { 300 } else { 20_000 };
    let system = System::new();
    let (_front, effects) = front(&system);
    assert_eq!(effects.recurses(depth).ask_blocking(), Ok(0));
}
