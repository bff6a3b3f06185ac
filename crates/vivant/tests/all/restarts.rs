//! What outlasts an incarnation, in programs that use everything at once: timers, names, groups,
//! topics, bounds, watches.

use crate::waits::ms;
use std::sync::{Arc, Mutex, PoisonError};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Cause, Group, Lagged, Mailbox, Messages, Subscription, Supervisor, Topic};

#[derive(Clone, Default, Debug)]
struct Received(Arc<Mutex<Vec<u64>>>);

impl Received {
    fn push(&self, number: u64) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(number);
    }

    fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Registers itself in every way, whenever it starts.
#[derive(Actor)]
struct Service {
    received: Received,
    _subscription: Subscription,
}

#[behaviours]
impl Service {
    #[start]
    fn new(t: &Turn<Self>, received: Received, topic: Topic<u64>, group: Group<Service>) -> Self {
        t.timer("tick").every(ms(100), t.me().tick());
        t.register("service", &t.me())
            .expect("the name is free, or its own");
        group.join(&t.me());
        let subscription = topic.subscribe(t.me().news());
        Service {
            received,
            _subscription: subscription,
        }
    }

    fn tick(&mut self, t: &Turn<Self>) {
        self.received.push(t.now().as_millis() as u64);
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn call(&mut self) -> u64 {
        7
    }

    #[then]
    fn news(&mut self, value: Result<u64, Lagged>) {
        self.received.push(1_000_000 + value.unwrap_or(0));
    }
}

struct World {
    simulation: Simulation,
    _tree: Address<Supervisor>,
    service: Address<Service>,
    received: Received,
    topic: Topic<u64>,
    group: Group<Service>,
}

fn world() -> World {
    let simulation = Simulation::new(3);
    let (received, topic, group) = (Received::default(), Topic::new(), Group::new());
    let tree = Supervisor::one_for_one()
        .budget(100, ms(1_000))
        .spawn(simulation.system());
    let service = tree.add(Service::child(
        received.clone(),
        topic.clone(),
        group.clone(),
    ));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    World {
        simulation,
        _tree: tree,
        service,
        received,
        topic,
        group,
    }
}

#[test]
fn named_timers_survive_a_restart() {
    let World {
        simulation,
        service,
        received,
        ..
    } = &world();
    simulation.run_for(ms(250));
    assert_eq!(received.take(), [100, 200]);
    for _ in 0..3 {
        assert!(service.fail().ask_blocking().is_err());
    }
    simulation.run_for(ms(200));
    assert_eq!(received.take(), [300, 400]);
    assert_eq!(simulation.system().inspect().timers, 1);
}

#[test]
fn names_groups_and_watches_survive_a_restart() {
    let World {
        simulation,
        service,
        group,
        ..
    } = &world();
    let system = simulation.system();
    let ended = Address::ended(service);
    assert!(service.fail().ask_blocking().is_err());
    assert_eq!(service.call().ask_blocking(), Ok(7));
    let found = system.lookup::<Service>("service").expect("it is there");
    assert_eq!(&found, service);
    assert_eq!(group.members(), std::slice::from_ref(service));
    Address::stop(service);
    assert!(
        system
            .block_on(ended)
            .is_ok_and(|reason| reason == vivant::StopReason::Stopped)
    );
    assert!(system.lookup::<Service>("service").is_err());
    assert!(group.members().is_empty());
}

#[test]
fn a_subscription_of_the_state_is_renewed_by_a_restart() {
    let World {
        service,
        received,
        topic,
        ..
    } = &world();
    topic.publish(1);
    assert_eq!(service.call().ask_blocking(), Ok(7));
    assert!(service.fail().ask_blocking().is_err());
    assert_eq!(service.call().ask_blocking(), Ok(7));
    topic.publish(2);
    assert_eq!(service.call().ask_blocking(), Ok(7));
    assert_eq!(received.take(), [1_000_001, 1_000_002]);
    assert_eq!(topic.subscribers(), 1);
}

/// Three places, and a guard that opens on a message.
#[derive(Actor)]
#[actor(mailbox = reject(3))]
struct Narrow {
    open: bool,
    received: Received,
}

#[behaviours]
impl Narrow {
    #[start]
    fn new(received: Received) -> Self {
        Narrow {
            open: false,
            received,
        }
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn open(&mut self) {
        self.open = true;
    }

    #[when(self.open)]
    fn pass(&mut self, number: u64) {
        self.received.push(number);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Shut,
    Open,
    Broken,
}

/// Lets no message through until it is opened, and panics when it is set to broken.
#[derive(Actor)]
struct Brittle {
    gate: Gate,
    received: Received,
}

#[behaviours]
impl Brittle {
    #[start]
    fn new(received: Received) -> Self {
        let gate = Gate::Shut;
        Brittle { gate, received }
    }

    fn set(&mut self, gate: Gate) {
        self.gate = gate;
    }

    #[when(self.is_open())]
    fn pass(&mut self, number: u64) {
        self.received.push(number);
    }

    #[local]
    fn is_open(&self) -> bool {
        if self.gate == Gate::Broken {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        self.gate == Gate::Open
    }
}

#[test]
fn a_guard_that_panics_loses_only_its_message() {
    let simulation = Simulation::new(3);
    let (system, received) = (simulation.system(), Received::default());
    let tree = Supervisor::one_for_one().spawn(system);
    let brittle = tree.add(Brittle::child(received.clone()));
    (1..=3).for_each(|number| brittle.pass(number).send());
    simulation.run();
    brittle.set(Gate::Broken).send();
    brittle.pass(4).send();
    simulation.run();
    // The waiting messages have a new gate before them, which is shut.
    assert_eq!(received.take(), Vec::<u64>::new());
    brittle.pass(5).send();
    brittle.set(Gate::Open).send();
    simulation.run();
    assert_eq!(received.take(), [2, 3, 4, 5]);
}

#[test]
fn restarts_keep_the_places_of_a_bounded_mailbox() {
    for messages in [Messages::Kept, Messages::Returned] {
        let simulation = Simulation::new(5);
        let (system, received) = (simulation.system(), Received::default());
        let tree = Supervisor::one_for_one()
            .budget(100, ms(1_000))
            .spawn(system);
        let narrow = tree.add(Narrow::child(received.clone()).messages(messages));
        simulation.run();
        for round in 0..10 {
            narrow.pass(10 * round).send();
            narrow.pass(10 * round + 1).send();
            simulation.run();
            // The third place; what comes behind it finds none.
            narrow.fail().send();
            assert!(
                narrow.pass(10 * round + 2).try_send().is_err(),
                "it is full"
            );
            simulation.run();
            if messages == Messages::Returned {
                assert_eq!(received.take(), Vec::<u64>::new());
                continue;
            }
            narrow.open().send();
            simulation.run();
            assert_eq!(received.take(), [10 * round, 10 * round + 1]);
            // With an empty mailbox: the next incarnation begins with its guard shut.
            narrow.fail().send();
            simulation.run();
        }
        let lost = |cause| {
            let counts = system.dead_letters().counts();
            let lines = counts.iter().filter(|line| line.cause == cause);
            lines.map(|line| line.count).sum::<u64>()
        };
        let returned = if messages == Messages::Returned {
            20
        } else {
            0
        };
        assert_eq!(lost(Cause::Restarted), returned);
        let facts = system.inspect();
        let facts = facts.actor(&Address::path(&narrow)).expect("it is there");
        assert_eq!((facts.mailbox, facts.deferred), (Mailbox::Reject(3), 0));
    }
}

#[vivant::test(
    seeds = 100,
    faults = Faults::none().panics(20_000).delays(100_000, ms(5)).full_mailboxes()
)]
fn seeded_muted_and_muting_actors_continue_after_a_restart(simulation: &Simulation) {
    let (system, received) = (simulation.system(), Received::default());
    let tree = Supervisor::all_for_one()
        .budget(usize::MAX, ms(1_000))
        .spawn(system);
    let last = tree.add(Link::child(None, received.clone()));
    let middle = tree.add(Link::child(Some(last), received.clone()));
    let first = tree.add(Link::child(Some(middle), received.clone()));
    for number in 0..40 {
        first.pass(number).send();
    }
    simulation.run();
    let facts = system.inspect();
    assert!(
        facts
            .actors
            .iter()
            .all(|actor| actor.depth == 0 && actor.muted_by.is_none()),
        "{facts:?}"
    );
    // The message of the panicked turn is gone; all others came through, in order.
    let received = received.take();
    assert!(received.is_sorted(), "{received:?}");
    assert!(
        received.len() as u64 + system.inspect().panics >= 40,
        "{received:?}"
    );
}

#[derive(Actor)]
struct Link {
    next: Option<Address<Link>>,
    received: Received,
}

#[behaviours]
impl Link {
    #[start]
    fn new(next: Option<Address<Link>>, received: Received) -> Self {
        Link { next, received }
    }

    fn pass(&mut self, number: u64) {
        match &self.next {
            Some(next) => next.pass(number).send(),
            None => self.received.push(number),
        }
    }
}
