//! Supervision trees on threads, while one cut is taken after the other: children that fail all the
//! time, and that go down for each other.

use super::image::Image;
use super::taking::{restored, take_beside_threads};
use crate::api::{SavedKinds, address_by};
use crate::failures::StopReason;
use crate::prelude::*;
use crate::sync::Arc;
use crate::system::System;
use crate::{ChildState, Supervision, Supervisor};
use std::time::Duration;

const CUTS: usize = if cfg!(miri) { 1 } else { 25 };
const MOLES: u64 = 4;

/// Digs, and fails now and then.
#[derive(Actor)]
#[actor(saved, id = "garden::Mole")]
struct Mole {
    heap: Address<Heap>,
}

#[behaviours(id = "garden::Mole")]
impl Mole {
    #[start]
    fn new(heap: Address<Heap>) -> Mole {
        Mole { heap }
    }

    fn dig(&mut self, t: &Turn<Self>, number: u64) {
        if number.is_multiple_of(5) {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        t.send(self.heap.dug(1, 0));
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>, reason: &StopReason) {
        if matches!(reason, StopReason::Panicked(_)) {
            t.send(self.heap.dug(0, 1));
        }
    }
}

/// Counts what the moles have dug, and their failures.
#[derive(Actor)]
#[actor(saved, id = "garden::Heap")]
struct Heap {
    dug: u64,
    failed: u64,
}

#[behaviours(id = "garden::Heap")]
impl Heap {
    #[start]
    fn new() -> Heap {
        Heap { dug: 0, failed: 0 }
    }

    fn dug(&mut self, dug: u64, failed: u64) {
        self.dug += dug;
        self.failed += failed;
    }

    fn sum(&self) -> u64 {
        self.dug + self.failed
    }
}

/// Has the moles dig, until it is told to stop.
#[derive(Actor)]
#[actor(saved, id = "garden::Gardener")]
struct Gardener {
    moles: Vec<Address<Mole>>,
    sent: u64,
    stops: bool,
}

#[behaviours(id = "garden::Gardener")]
impl Gardener {
    #[start]
    fn new(moles: Vec<Address<Mole>>) -> Gardener {
        Gardener {
            moles,
            sent: 0,
            stops: false,
        }
    }

    fn go(&mut self, t: &Turn<Self>) {
        if self.stops {
            return;
        }
        for _ in 0..3 {
            let mole = &self.moles[self.sent as usize % self.moles.len()];
            t.send(mole.dig(self.sent));
            self.sent += 1;
        }
        let _timer = t.after(Duration::from_micros(50), t.me().go());
    }

    fn stops(&mut self) -> u64 {
        self.stops = true;
        self.sent
    }
}

type Saved = (Mole, Heap, Gardener, Supervisor);

/// The restored tree settles, and each message that was sent has been processed, or has failed.
fn check(image: &Image, kinds: &Arc<SavedKinds>) {
    let (simulation, actors) = restored(image, 1, kinds);
    let mut all = actors.values();
    let gardener = all.find_map(|it| address_by::<Gardener>(it, kinds));
    let heap = actors.values().find_map(|it| address_by::<Heap>(it, kinds));
    let tree = actors.values();
    let tree = { tree }.find_map(|it| address_by::<Supervisor>(it, kinds));
    let (gardener, heap) = (gardener.expect("it is saved"), heap.expect("it is saved"));
    let tree = tree.expect("it is saved");
    let sent = gardener.stops().ask_blocking().expect("it lives");
    simulation.run();
    assert_eq!(heap.sum().ask_blocking(), Ok(sent), "{:?}", image.shared);
    let children = tree.children().ask_blocking().expect("it lives");
    let states: Vec<_> = children.iter().map(|child| child.state).collect();
    assert_eq!(states, [ChildState::Up; MOLES as usize]);
}

fn trees_on(workers: usize, rules: Supervision) {
    let kinds = Arc::new(SavedKinds::of::<Saved>().expect("no two names are equal"));
    let builder = System::builder().workers(workers);
    let system = builder.saved::<Saved>().build();
    let tree = rules
        .budget(1_000_000, Duration::from_secs(60))
        .spawn(&system);
    let heap = Heap::spawn(&system);
    let mole = |_| tree.add(Mole::child(heap.clone()));
    let gardener = Gardener::spawn(&system, (0..MOLES).map(mole).collect());
    gardener.go().send();
    let images = (0..CUTS).filter_map(|_| take_beside_threads(&system));
    let images = images.inspect(|image| check(image, &kinds)).count();
    let _report = system.shutdown();
    assert!(images > 0, "all cuts were void");
}

#[test]
fn one_for_one_on_threads_goes_on() {
    trees_on(2, Supervisor::one_for_one());
}

#[test]
fn all_for_one_on_threads_goes_on() {
    trees_on(4, Supervisor::all_for_one());
}

#[test]
fn rest_for_one_on_threads_goes_on() {
    trees_on(3, Supervisor::rest_for_one());
}
