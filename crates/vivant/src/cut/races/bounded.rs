//! Bounded mailboxes: displaced messages, and refusals.

use super::*;
use crate::{Lagged, Topic};

macro_rules! keeps {
    ($module:ident, $name:ident, $messages:ident, $size:literal) => {
        #[allow(dead_code, reason = "not each type gets each message")]
        pub(super) mod $module {
            use super::*;

            #[derive(Actor)]
            #[actor(mailbox = drop_oldest($size))]
            pub(in crate::cut::races) struct $name {
                sum: u64,
            }

            #[behaviours]
            impl $name {
                pub(crate) fn plain(&mut self, amount: u64) {
                    self.sum += amount;
                }

                pub(crate) fn drops(&mut self, argument: OnDrop) {
                    drop(argument);
                }

                #[then]
                pub(crate) fn heard(&mut self, value: Result<u64, Lagged>) {
                    self.sum += value.unwrap_or_default();
                }
            }

            pub(in crate::cut::races) fn new() -> $name {
                $name { sum: 0 }
            }

            pub(in crate::cut::races) fn amount(message: &Envelope) -> Option<u64> {
                message.args_of::<$messages::Plain<$name>>().map(|(a,)| *a)
            }
        }
    };
}

keeps!(keeps_latest, KeepsLatest, keeps_latest_messages, 1);
keeps!(
    keeps_latest_two,
    KeepsLatestTwo,
    keeps_latest_two_messages,
    2
);

mod keeps_first {
    use super::*;

    #[derive(Actor)]
    #[actor(mailbox = drop_newest(1))]
    pub(super) struct KeepsFirst;

    #[behaviours]
    impl KeepsFirst {
        pub(crate) fn drops(&mut self, argument: OnDrop) {
            drop(argument);
        }
    }
}

pub(super) fn an_outside_thread_displaces_an_older_message() {
    let simulation = Simulation::new(1);
    let system = simulation.system().clone();
    let bounded = system.spawn(keeps_latest::new());
    bounded.plain(5).send();
    let (mut coordinator, log) = begin(&system);
    bounded.plain(7).send();
    let outcome = finish_simulated(&mut coordinator, &simulation);
    assert_eq!(outcome, Outcome::Consistent);
    assert_eq!(log.amounts(), [5], "{:?}", log.all());
}

#[test]
fn an_older_message_that_an_outside_thread_displaces_waits_in_the_cut() {
    an_outside_thread_displaces_an_older_message();
}

#[test]
fn an_older_message_that_a_topic_displaces_waits_in_the_cut() {
    for seed in 0..40 {
        let simulation = Simulation::new(seed);
        let system = simulation.system().clone();
        let bounded = system.spawn(keeps_latest::new());
        let topic = Topic::new();
        topic.subscribe(bounded.heard()).forever();
        let publisher = system.spawn(doer());
        simulation.run();
        bounded.plain(5).send();
        let (mut coordinator, log) = begin(&system);
        publisher.run(Box::new(move |_, _| topic.publish(7))).send();
        finish_simulated(&mut coordinator, &simulation);
        assert_eq!(log.amounts(), [5], "seed {seed}: {:?}", log.all());
    }
}

#[test]
fn an_older_message_that_newer_ones_leave_no_place_waits_or_makes_the_cut_void() {
    let system = System::builder().workers(3).build();
    let sender = system.spawn(doer());
    let small = system.spawn(keeps_first::KeepsFirst);
    let (argument, hold, has_begun) = OnDrop::held();
    small.drops(argument).send();
    has_begun.recv().expect("the turn of the receiver begins");
    let to = small.clone();
    let go = held_turn(&sender, move |_, t| t.send(to.drops(OnDrop(None))));
    let (mut coordinator, log) = begin(&system);
    small.drops(OnDrop(None)).send();
    release(&go);
    settle();
    release(&hold);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    let of_small = |event: &Event| matches!(event, Event::Waits(actor, _) if *actor == id(&small));
    let waits = log.all().iter().any(of_small);
    assert!(waits || outcome == Outcome::Void, "{:?}", log.all());
}
