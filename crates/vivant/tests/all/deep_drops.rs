//! Drops as deep as users' data: one value's drop leads to the next one's, and none needs stack in
//! proportion (H12).

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Lagged, StopReason, Topic};

const DEPTH: u64 = if cfg!(miri) { 10 } else { 100_000 };

/// Sends itself on when it is dropped, one time less.
struct Boomerang {
    to: Address<Keeper>,
    left: u64,
}

impl Drop for Boomerang {
    fn drop(&mut self) {
        if let Some(left) = self.left.checked_sub(1) {
            let to = self.to.clone();
            self.to.catches(Boomerang { to, left }).send();
        }
    }
}

#[derive(Actor, Default)]
struct Keeper {
    last: Option<Resolver<u64>>,
    failed: u64,
}

#[behaviours]
impl Keeper {
    /// Each promise is continued with the resolver of the one before.
    fn chains_promises(&mut self, t: &Turn<Self>) {
        let (first, mut resolver) = t.promise::<u64>();
        drop(first.then(t.me().passed_on(None)));
        for _ in 0..DEPTH {
            let (promise, next) = t.promise::<u64>();
            drop(promise.then(t.me().passed_on(Some(resolver))));
            resolver = next;
        }
        self.last = Some(resolver);
    }

    fn breaks_the_last(&mut self) {
        self.last = None;
    }

    #[then]
    fn passed_on(&mut self, value: Result<u64, AskError>, before: Option<Resolver<u64>>) {
        self.failed += u64::from(value.is_err());
        drop(before);
    }

    fn failed(&self) -> u64 {
        self.failed
    }

    fn catches(&mut self, boomerang: Boomerang) {
        drop(boomerang);
    }

    /// Each topic has one subscription, which holds the topic before.
    fn chains_topics(&mut self, t: &Turn<Self>) -> Topic<u64> {
        let mut last = Topic::new();
        for _ in 0..DEPTH {
            let topic = Topic::new();
            topic.subscribe(t.me().received(last)).forever();
            last = topic;
        }
        last
    }

    #[then]
    fn received(&mut self, value: Result<u64, Lagged>, before: Topic<u64>) {
        drop((value, before));
    }

    fn links(&mut self, t: &Turn<Self>, other: Address<Keeper>) {
        t.link(&other);
    }

    fn fails(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }
}

fn keeper(simulation: &Simulation) -> Address<Keeper> {
    simulation.system().spawn(Keeper::default())
}

#[test]
fn a_chain_of_promises_ends_with_its_actor() {
    let simulation = Simulation::new(0);
    let keeper = keeper(&simulation);
    keeper.chains_promises().send();
    Address::stop(&keeper);
    simulation.run();
    assert!(!Address::is_alive(&keeper));
    drop(keeper);
    assert_eq!(simulation.system().inspect().bytes, 0);
}

#[test]
fn a_chain_of_promises_breaks_link_by_link() {
    let simulation = Simulation::new(0);
    let keeper = keeper(&simulation);
    keeper.chains_promises().send();
    keeper.breaks_the_last().send();
    simulation.run();
    assert_eq!(keeper.failed().ask_blocking(), Ok(DEPTH + 1));
}

#[test]
fn a_drop_sends_itself_to_an_ended_actor_again_and_again() {
    let simulation = Simulation::new(0);
    let keeper = keeper(&simulation);
    Address::stop(&keeper);
    simulation.run();
    let to = keeper.clone();
    keeper.catches(Boomerang { to, left: DEPTH }).send();
    let letters = simulation.system().dead_letters().total();
    assert_eq!(letters, DEPTH + 1, "each is one, and was at once");
}

#[test]
fn a_chain_of_topics_ends_with_its_last_handle() {
    let simulation = Simulation::new(0);
    let keeper = keeper(&simulation);
    let last = keeper.chains_topics().ask_blocking();
    assert_eq!(last.map(|topic| topic.subscribers()), Ok(1));
    simulation.run();
    Address::stop(&keeper);
    simulation.run();
}

#[test]
fn a_failure_goes_over_many_links_and_its_reason_stays_short() {
    let simulation = Simulation::new(0);
    let actors = if cfg!(miri) { 5 } else { 20_000 };
    let all: Vec<_> = (0..actors).map(|_| keeper(&simulation)).collect();
    for pair in all.windows(2) {
        pair[0].links(pair[1].clone()).send();
    }
    simulation.run();
    all[0].fails().send();
    simulation.run();
    let ended = Address::ended(&all[actors - 1]);
    let Ok(StopReason::Linked(linked)) = simulation.system().block_on(ended) else {
        panic!("it has not failed with the others");
    };
    assert_eq!(
        (linked.links, &linked.first),
        (actors - 1, &Address::path(&all[0]))
    );
    assert_eq!(linked.actor, Address::path(&all[actors - 2]));
    assert!(matches!(linked.reason, StopReason::Panicked(_)));
    let text = StopReason::Linked(linked).to_string();
    assert!(
        text.contains(&format!("failed {} links after", actors - 2)),
        "{text}"
    );
}
