//! Topics on threads, while one cut is taken after the other: actors publish and subscribe. One
//! thread outside has actors join groups and leave them, and another one publishes.

use super::image::Image;
use super::taking::{restored, take_beside_threads};
use crate::api::SavedKinds;
use crate::cut::Over;
use crate::prelude::*;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::system::System;
use crate::{Lagged, Subscription, Topic};
use std::thread;

const CUTS: usize = if cfg!(miri) { 1 } else { 80 };
const ACTORS: usize = 6;

/// Publishes, and hears what all publish.
#[derive(Actor)]
#[actor(saved)]
struct Peer {
    topic: Topic<u64>,
    /// A thread outside publishes 1, 2, 3 … there.
    ticks: Topic<u64>,
    other: Option<Subscription>,
    published: u64,
    heard: u64,
    /// The number of ticks that it has heard or missed.
    ticked: u64,
    /// Each tick came behind all ticks before it.
    is_in_order: bool,
    /// Numbers of groups in which it is, as it was told.
    groups: Vec<u64>,
}

#[behaviours]
impl Peer {
    #[start]
    fn new(t: &Turn<Self>, topic: Topic<u64>, ticks: Topic<u64>) -> Peer {
        topic.subscribe_bounded(2, t.me().hears(1)).forever();
        ticks.subscribe_bounded(4, t.me().ticks()).forever();
        Peer {
            topic,
            ticks,
            other: None,
            published: 0,
            heard: 0,
            ticked: 0,
            is_in_order: true,
            groups: Vec::new(),
        }
    }

    /// Each actor hears of it once.
    fn publish(&mut self, t: &Turn<Self>) {
        self.topic.publish(1);
        self.published += 1;
        self.other = match self.other.take() {
            Some(_) => None,
            None => Some(self.topic.subscribe_bounded(1, t.me().hears(0))),
        };
    }

    /// Values of `weight` 0 are those of a subscription that comes and goes.
    #[then]
    fn hears(&mut self, value: Result<u64, Lagged>, weight: u64) {
        self.heard += weight
            * match value {
                Ok(value) => value,
                Err(Lagged { missed }) => missed,
            };
    }

    #[then]
    fn ticks(&mut self, tick: Result<u64, Lagged>) {
        match tick {
            Ok(number) => {
                self.ticked += 1;
                self.is_in_order &= number == self.ticked;
            }
            Err(Lagged { missed }) => self.ticked += missed,
        }
    }

    fn is_in(&mut self, group: u64) {
        self.groups.push(group);
    }

    fn leaves(&mut self, group: u64) {
        self.groups.retain(|own| *own != group);
    }
}

fn name(number: u64) -> String {
    format!("group {number}")
}

/// Each actor is in its group before it is told so, and until after it is told otherwise.
fn join_groups(system: &System, peers: &[Address<Peer>], is_over: &AtomicBool) {
    for number in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let peer = |number: u64| &peers[number as usize % ACTORS];
        let group = |number| system.group::<Peer>(&name(number)).expect("it has peers");
        assert!(group(number).join(peer(number)));
        peer(number).is_in(number).send();
        peer(number + 1).publish().send();
        if let Some(old) = number.checked_sub(4) {
            peer(old).leaves(old).send();
            assert!(group(old).leave(peer(old)));
        }
        thread::yield_now();
    }
}

/// Publishes 1, 2, 3 …
fn publish_ticks(ticks: &Topic<u64>, is_over: &AtomicBool) {
    for number in 1.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        ticks.publish(number);
        thread::yield_now();
    }
}

/// Each actor has heard of what was published before the line, or will.
fn check(image: &Image, kinds: &Arc<SavedKinds>) {
    let (simulation, actors) = restored(image, 1, kinds);
    simulation.run();
    let (mut published, mut heard, mut ticks) = (0, Vec::new(), None);
    for (id, address) in &*actors {
        let cell = address.cell();
        let mut idle = cell.hold_idle().expect("no message waits");
        let _none = idle.state().look::<Peer, _>(|peer| {
            published += peer.published;
            heard.push(peer.heard);
            assert!(peer.is_in_order, "a tick was lost, or is there twice");
            ticks = Some(peer.ticks.clone());
            for number in &peer.groups {
                let group = simulation.system().group::<Peer>(&name(*number));
                let members = group.expect("it has peers").members();
                let mut ids = members.iter().map(|member| Address::counted(member).id);
                assert!(ids.any(|member| member == *id), "{}", name(*number));
            }
        });
        idle.park();
    }
    assert_eq!(heard, [published; ACTORS]);
    let ticks = ticks.expect("an actor has it");
    assert_eq!(ticks.subscribers(), ACTORS);
}

fn topics_on(workers: usize, topics: fn(&System, &str) -> Topic<u64>) {
    let kinds = Arc::new(SavedKinds::of::<(Peer,)>().expect("no two names are equal"));
    let builder = System::builder().workers(workers);
    let system = builder.saved::<(Peer,)>().build();
    let (topic, ticks) = (topics(&system, "values"), topics(&system, "ticks"));
    let peers = (0..ACTORS).map(|_| Peer::spawn(&system, topic.clone(), ticks.clone()));
    let peers: Vec<_> = peers.collect();
    while ticks.subscribers() < ACTORS {
        thread::yield_now();
    }
    let is_over = AtomicBool::new(false);
    let images = thread::scope(|scope| {
        let _groups = scope.spawn(|| join_groups(&system, &peers, &is_over));
        let _ticks = scope.spawn(|| publish_ticks(&ticks, &is_over));
        let _over = Over(&is_over);
        let images = (0..CUTS).filter_map(|_| take_beside_threads(&system));
        images.inspect(|image| check(image, &kinds)).count()
    });
    let _report = system.shutdown();
    assert!(images > 0, "all cuts were void");
}

fn named(system: &System, name: &str) -> Topic<u64> {
    system.topic(name).expect("it is new")
}

fn unnamed(_: &System, _: &str) -> Topic<u64> {
    Topic::new()
}

#[test]
fn topics_on_two_threads_are_those_of_the_line() {
    topics_on(2, named);
}

#[test]
fn topics_on_four_threads_are_those_of_the_line() {
    topics_on(4, named);
}

#[test]
fn topics_without_a_name_on_two_threads_are_those_of_the_line() {
    topics_on(2, unnamed);
}

#[test]
fn topics_without_a_name_on_four_threads_are_those_of_the_line() {
    topics_on(4, unnamed);
}
