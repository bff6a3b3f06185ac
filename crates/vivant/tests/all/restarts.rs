//! What outlasts an incarnation, in programs that use everything at once: timers, names, groups,
//! topics, bounds, watches.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Cause, Group, Lagged, Mailbox, Messages, Subscription, Supervisor, Topic};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[derive(Clone, Default, Debug)]
struct Heard(Arc<Mutex<Vec<u64>>>);

impl Heard {
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
    heard: Heard,
    _subscription: Subscription,
}

#[behaviours]
impl Service {
    #[start]
    fn new(t: &Turn<Self>, heard: Heard, topic: Topic<u64>, group: Group<Service>) -> Self {
        t.timer("tick").every(ms(100), t.me().tick());
        t.register("service", &t.me())
            .expect("the name is free, or its own");
        group.join(&t.me());
        let subscription = topic.subscribe(t.me().news());
        Service {
            heard,
            _subscription: subscription,
        }
    }

    fn tick(&mut self, t: &Turn<Self>) {
        self.heard.push(t.now().as_millis() as u64);
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn call(&mut self) -> u64 {
        7
    }

    #[then]
    fn news(&mut self, value: Result<u64, Lagged>) {
        self.heard.push(1_000_000 + value.unwrap_or(0));
    }
}

struct World {
    simulation: Simulation,
    _tree: Address<Supervisor>,
    service: Address<Service>,
    heard: Heard,
    topic: Topic<u64>,
    group: Group<Service>,
}

fn world() -> World {
    let simulation = Simulation::new(3);
    let (heard, topic, group) = (Heard::default(), Topic::new(), Group::new());
    let tree = Supervisor::one_for_one()
        .budget(100, ms(1_000))
        .spawn(simulation.system());
    let service = tree.add(Service::child(heard.clone(), topic.clone(), group.clone()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    World {
        simulation,
        _tree: tree,
        service,
        heard,
        topic,
        group,
    }
}

#[test]
fn a_named_timer_is_neither_doubled_nor_put_off() {
    let World {
        simulation,
        service,
        heard,
        ..
    } = &world();
    simulation.run_for(ms(250));
    assert_eq!(heard.take(), [100, 200]);
    for _ in 0..3 {
        assert!(service.fail().ask_blocking().is_err());
    }
    simulation.run_for(ms(200));
    assert_eq!(heard.take(), [300, 400]);
    assert_eq!(simulation.system().inspect().timers, 1);
}

#[test]
fn a_name_a_group_and_a_watch_stay() {
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
fn a_subscription_that_the_state_holds_ends_with_it_and_begins_again() {
    let World {
        service,
        heard,
        topic,
        ..
    } = &world();
    topic.publish(1);
    assert_eq!(service.call().ask_blocking(), Ok(7));
    assert!(service.fail().ask_blocking().is_err());
    assert_eq!(service.call().ask_blocking(), Ok(7));
    topic.publish(2);
    assert_eq!(service.call().ask_blocking(), Ok(7));
    assert_eq!(heard.take(), [1_000_001, 1_000_002]);
    assert_eq!(topic.subscribers(), 1);
}

/// Three places, and a guard that opens on a message.
#[derive(Actor)]
#[actor(mailbox = reject(3))]
struct Narrow {
    open: bool,
    heard: Heard,
}

#[behaviours]
impl Narrow {
    #[start]
    fn new(heard: Heard) -> Self {
        Narrow { open: false, heard }
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn open(&mut self) {
        self.open = true;
    }

    #[when(self.open)]
    fn pass(&mut self, number: u64) {
        self.heard.push(number);
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
    heard: Heard,
}

#[behaviours]
impl Brittle {
    #[start]
    fn new(heard: Heard) -> Self {
        let gate = Gate::Shut;
        Brittle { gate, heard }
    }

    fn set(&mut self, gate: Gate) {
        self.gate = gate;
    }

    #[when(self.is_open())]
    fn pass(&mut self, number: u64) {
        self.heard.push(number);
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
fn a_guard_that_panics_costs_its_own_message_and_no_other() {
    let simulation = Simulation::new(3);
    let (system, heard) = (simulation.system(), Heard::default());
    let tree = Supervisor::one_for_one().spawn(system);
    let brittle = tree.add(Brittle::child(heard.clone()));
    (1..=3).for_each(|number| brittle.pass(number).send());
    simulation.run();
    brittle.set(Gate::Broken).send();
    brittle.pass(4).send();
    simulation.run();
    // The waiting messages have a new gate before them, which is shut.
    assert_eq!(heard.take(), Vec::<u64>::new());
    brittle.pass(5).send();
    brittle.set(Gate::Open).send();
    simulation.run();
    assert_eq!(heard.take(), [2, 3, 4, 5]);
}

#[test]
fn the_places_of_a_bounded_mailbox_are_neither_lost_nor_doubled() {
    for messages in [Messages::Kept, Messages::Returned] {
        let simulation = Simulation::new(5);
        let (system, heard) = (simulation.system(), Heard::default());
        let tree = Supervisor::one_for_one()
            .budget(100, ms(1_000))
            .spawn(system);
        let narrow = tree.add(Narrow::child(heard.clone()).messages(messages));
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
                assert_eq!(heard.take(), Vec::<u64>::new());
                continue;
            }
            narrow.open().send();
            simulation.run();
            assert_eq!(heard.take(), [10 * round, 10 * round + 1]);
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
fn seeded_whoever_is_muted_or_mutes_goes_on_after_a_restart(simulation: &Simulation) {
    let (system, heard) = (simulation.system(), Heard::default());
    let tree = Supervisor::all_for_one()
        .budget(usize::MAX, ms(1_000))
        .spawn(system);
    let last = tree.add(Link::child(None, heard.clone()));
    let middle = tree.add(Link::child(Some(last), heard.clone()));
    let first = tree.add(Link::child(Some(middle), heard.clone()));
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
    let heard = heard.take();
    assert!(heard.is_sorted(), "{heard:?}");
    assert!(
        heard.len() as u64 + system.inspect().panics >= 40,
        "{heard:?}"
    );
}

#[derive(Actor)]
struct Link {
    next: Option<Address<Link>>,
    heard: Heard,
}

#[behaviours]
impl Link {
    #[start]
    fn new(next: Option<Address<Link>>, heard: Heard) -> Self {
        Link { next, heard }
    }

    fn pass(&mut self, number: u64) {
        match &self.next {
            Some(next) => next.pass(number).send(),
            None => self.heard.push(number),
        }
    }
}
