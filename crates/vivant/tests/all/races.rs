//! Threads and turns that race for the ends of actors while they break the rules: promises smuggled
//! out of their turns, drops that send and panic, weak addresses upgraded as the last address is
//! dropped. Few assertions, and much for Miri to check.

use std::cell::RefCell;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;
use vivant::StopReason;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// A value that a turn hides outside: it is dropped when its worker's thread ends.
type Smuggled = (Promise<u64>, Resolver<u64>, Address<Rogue>);

thread_local! {
    static HIDDEN: RefCell<Vec<Smuggled>> = const { RefCell::new(Vec::new()) };
}

/// Sends when it is dropped, and panics then.
struct Grenade(Address<Rogue>);

impl Drop for Grenade {
    fn drop(&mut self) {
        self.0.add(1).send();
        if !thread::panicking() {
            panic!("dropped");
        }
    }
}

#[derive(Actor, Default)]
struct Rogue {
    sum: u64,
    me: Option<Address<Rogue>>,
    grenade: Option<Grenade>,
}

#[behaviours]
impl Rogue {
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    fn hold_on(&mut self, t: &Turn<Self>) {
        self.me = Some(t.me());
        self.grenade = Some(Grenade(t.me()));
    }

    fn let_go(&mut self) {
        self.me = None;
    }

    fn smuggle(&mut self, t: &Turn<Self>, to: Address<Rogue>) {
        let (promise, resolver) = t.promise();
        let promise = promise.then(t.me().added());
        drop(t.ask(to.add(1)).then(t.me().added()));
        HIDDEN.with_borrow_mut(|hidden| hidden.push((promise, resolver, t.me())));
    }

    fn end(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    fn bear(&mut self, t: &Turn<Self>) {
        let child = t.spawn_actor(Rogue::default());
        child.hold_on().send();
        drop(t.ask(child.add(1)).then(t.me().added()));
    }

    #[then]
    fn added(&mut self, sum: Result<u64, AskError>) -> u64 {
        self.sum += sum.unwrap_or(1);
        self.sum
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>, _: &StopReason) {
        self.me = Some(t.me());
        t.me().add(1).send();
        if self.sum % 2 == 1 {
            panic!("while it ends");
        }
    }
}

fn rogue(system: &System, sum: u64) -> Address<Rogue> {
    system.spawn(Rogue {
        sum,
        ..Rogue::default()
    })
}

#[test]
fn rule_breaking_actors_that_end_harm_no_other() {
    let system = System::builder().workers(2).build();
    for sum in 0..3 {
        let (one, other) = (rogue(&system, sum), rogue(&system, 0));
        let weak = Address::downgrade(&one);
        let holding = {
            let one = one.clone();
            move || {
                one.add(1).send();
                one.hold_on().send();
                one.let_go().send();
            }
        };
        let smuggling = {
            let (one, other) = (one.clone(), other.clone());
            move || {
                one.smuggle(other.clone()).send();
                one.bear().send();
                drop(one);
                if let Some(again) = weak.upgrade() {
                    again.add(5).send();
                    Address::stop(&again);
                }
                other.end().send();
            }
        };
        thread::scope(|scope| {
            scope.spawn(holding);
            scope.spawn(smuggling);
            one.add(2).send();
            drop(one);
            other.add(1).send();
            drop(other);
        });
    }
    let report = system.shutdown_within(Duration::from_secs(60));
    assert!(report.is_complete(), "{report}");
}

/// The last two addresses of an actor that has ended are dropped at the same time: one thread frees
/// the cell while the other one returns from its drop.
#[test]
fn the_last_addresses_of_an_ended_actor_are_dropped_on_two_threads() {
    let simulation = Simulation::new(0);
    for _ in 0..if cfg!(miri) { 40 } else { 1_000 } {
        let actor = rogue(simulation.system(), 0);
        Address::stop(&actor);
        simulation.run();
        let other = actor.clone();
        let begin = Barrier::new(2);
        let drops = |address: Address<Rogue>| {
            begin.wait();
            drop(address);
        };
        thread::scope(|scope| {
            scope.spawn(|| drops(actor));
            scope.spawn(|| drops(other));
        });
    }
}
