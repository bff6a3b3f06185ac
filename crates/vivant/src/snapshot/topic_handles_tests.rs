//! Topics without a name: what leads to them, and the drop of their last handle.

use super::mid_turn::{self, mid_turn};
use super::taking::{restored, simulated, take_now};
use super::topics_tests::{Board, Press, end, news_of};
use crate::api::SavedKinds;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::run::Idle;
use crate::sync::Arc;
use crate::{Subscription, Topic};

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

/// The arguments of a subscription may have the only handle of another topic.
#[test]
fn a_topic_to_which_only_a_subscription_leads_is_in_the_image() {
    let kinds = SavedKinds::of::<(Board, Press)>().expect("no two names are equal");
    let kinds = Arc::new(kinds);
    let simulation = simulated(&kinds, 1);
    let system = simulation.system();
    let board = Board::spawn(system);
    let (first, middle, last) = (Topic::new(), Topic::new(), Topic::new());
    last.subscribe(board.hears(7)).forever();
    middle.subscribe(board.relays(last)).forever();
    first.subscribe(board.relays(middle)).forever();
    let aside = Topic::new();
    let unreached = Topic::new();
    unreached.subscribe(board.hears(8)).forever();
    aside.subscribe(board.relays(unreached)).forever();
    simulation.run();
    assert!(take_now(&simulation).shared.tables.topics.is_empty());

    let _press = Press::spawn(system, first, Vec::new());
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(image.shared.tables.topics.len(), 3);
    drop(aside);
    let (simulation, _actors) = restored(&image, 1, &kinds);
    assert_eq!(take_now(&simulation), image);
    news_of(&simulation).publish(5);
    assert_eq!(end(&simulation), [[(7, 5)]]);
}

/// Drops the handles that it has.
#[derive(Actor)]
#[actor(saved)]
struct Holder {
    topic: Option<Topic<u64>>,
    subscription: Option<Subscription>,
}

#[behaviours]
impl Holder {
    /// The line may run before it drops the last handle, or behind it.
    fn release(&mut self) {
        mid_turn();
        self.topic = None;
        mid_turn();
    }

    fn unsubscribe(&mut self) {
        self.subscription = None;
    }
}

/// One actor drops its handle behind the line, and the other the last one before it. Each image has
/// the topic if one of both has a handle there.
#[test]
fn a_topic_lives_in_the_image_if_its_last_handle_was_dropped_across_the_line() {
    let kinds = SavedKinds::of::<(Board, Holder)>().expect("no two names are equal");
    let kinds = Arc::new(kinds);
    let mut with_topic = 0;
    for seed in 0..SEEDS {
        let simulation = simulated(&kinds, seed);
        let system = simulation.system();
        let board = Board::spawn(system);
        let topic = Topic::new();
        let mut subscription = Some(topic.subscribe(board.hears(1)));
        let holders: Vec<_> = (0..4)
            .map(|_| {
                system.spawn(Holder {
                    topic: Some(topic.clone()),
                    subscription: subscription.take(),
                })
            })
            .collect();
        drop(topic);
        simulation.run();
        mid_turn::begin(&simulation, seed);
        let mut dice = Dice::new(!seed);
        for holder in &holders {
            holder.release().send();
        }
        for _ in 0..100 {
            match dice.below(3) {
                0 => drop(simulation.step()),
                _ => mid_turn::step(),
            }
        }
        holders[0].unsubscribe().send();
        for image in mid_turn::end() {
            let (simulation, _actors) = restored(&image, seed, &kinds);
            assert_eq!(take_now(&simulation), image, "seed {seed}");
            let mut topics = Vec::new();
            let system = simulation.system().shared();
            let mut look = |idle: &mut Idle| {
                let _none = idle.state().look::<Holder, _>(|holder| {
                    topics.extend(holder.topic.clone());
                });
            };
            for actor in system.actors() {
                if let Ok(mut idle) = actor.hold_idle() {
                    look(&mut idle);
                    idle.park();
                }
            }
            system.scheduler.each_queued(&mut |actor| {
                let mut idle = Idle::between_runs(actor);
                look(&mut idle);
                idle.into_runnable()
            });
            let subscribers = topics.first().map_or(0, Topic::subscribers);
            assert_eq!(subscribers, usize::from(!topics.is_empty()), "seed {seed}");
            with_topic += usize::from((1..4).contains(&topics.len()));
        }
    }
    assert!(with_topic > 0, "no line was between two drops");
}

/// No cut visits a topic that only a thread outside has. The numbers of phases that messages have
/// come again after four cuts here.
#[test]
fn a_subscription_of_many_cuts_ago_is_in_the_image() {
    let kinds = SavedKinds::of::<(Board, Press)>().expect("no two names are equal");
    let kinds = Arc::new(kinds);
    for cuts in 1..10 {
        let simulation = simulated(&kinds, 1);
        let system = simulation.system();
        let board = Board::spawn(system);
        let topic = Topic::new();
        topic.subscribe(board.hears(1)).forever();
        simulation.run();
        for _ in 1..cuts {
            assert!(take_now(&simulation).shared.tables.topics.is_empty());
        }
        let _press = Press::spawn(system, topic, Vec::new());
        simulation.run();
        let topics = take_now(&simulation).shared.tables.topics;
        assert_eq!(topics.len(), 1, "after {cuts} cuts");
    }
}
