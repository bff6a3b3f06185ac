//! An owner, and holders of references to its object until they drop them. Each scene ends with
//! nothing left.

use super::heap::{Heap, Held, Import, World};
use crate::sync::{Arc, AtomicU32, Condvar, Mutex, Ordering, PoisonError, lock};
use loom::thread;
use std::sync::Arc as UnseenArc;
use std::task::{Wake, Waker};

fn used(held: Held) {
    held.read();
    drop(held);
}

/// The owner drains the rest, if it has not ended yet.
fn is_over(world: World, heap: Option<Heap>) {
    if let Some(heap) = heap {
        assert!(heap.drain_all().is_none(), "a change was lost");
    }
    world.check();
}

/// Two holders use their references and drop them, while the owner drains its inbox twice, and ends
/// as soon as it may.
pub(in super::super) fn two_give_up() {
    let (world, mut heap) = World::new();
    heap.wake_by(Waker::noop().clone());
    let others = [heap.pack(), heap.pack()].map(|held| thread::spawn(move || used(held)));
    let owner = thread::spawn(move || heap.drain_all()?.drain_all());
    for other in others {
        other.join().unwrap();
    }
    is_over(world, owner.join().unwrap());
}

/// A holder clones, hands the clone over to another, and drops its own.
pub(in super::super) fn a_clone_is_handed_over() {
    let (world, mut heap) = World::new();
    heap.wake_by(Waker::noop().clone());
    let held = heap.pack();
    let handed = Arc::new(Mutex::new(None));
    let first = thread::spawn({
        let handed = handed.clone();
        move || {
            *lock(&handed) = Some(held.clone());
            used(held);
        }
    });
    let second = thread::spawn({
        let handed = handed.clone();
        move || {
            let clone = lock(&handed).take();
            clone.into_iter().for_each(used);
        }
    });
    let owner = thread::spawn(move || heap.drain_all()?.drain_all());
    first.join().unwrap();
    second.join().unwrap();
    let heap = owner.join().unwrap();
    let clone = lock(&handed).take();
    clone.into_iter().for_each(used);
    is_over(world, heap);
}

/// Another heap has a weight of one, requests more, and sends a reference back. Then it drops what
/// it has.
pub(in super::super) fn a_reference_comes_back() {
    let (world, mut heap) = World::new();
    let mut import = Import::of(heap.pack());
    let parcel = Arc::new(Mutex::new(None));
    let sent = Arc::new(AtomicU32::new(0));
    let other = thread::spawn({
        let (parcel, sent) = (parcel.clone(), sent.clone());
        move || {
            *lock(&parcel) = Some(import.pack());
            sent.store(1, Ordering::Release);
            drop(import);
        }
    });
    let owner = thread::spawn({
        let (parcel, sent) = (parcel.clone(), sent.clone());
        move || {
            let mut heap = heap.drain_all()?;
            if sent.load(Ordering::Acquire) == 1 {
                heap.unpack(lock(&parcel).take().unwrap());
            }
            heap.drain_all()
        }
    });
    other.join().unwrap();
    let heap = owner.join().unwrap().map(|mut heap| {
        let left = lock(&parcel).take();
        left.into_iter().for_each(|held| heap.unpack(held));
        heap
    });
    is_over(world, heap);
}

/// The waker of the owner.
struct GcWaker {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Wake for GcWaker {
    fn wake(self: UnseenArc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &UnseenArc<Self>) {
        *lock(&self.rung) = true;
        self.heard.notify_one();
    }
}

impl GcWaker {
    fn wait(&self) {
        let mut rung = lock(&self.rung);
        while !*rung {
            rung = self
                .heard
                .wait(rung)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *rung = false;
    }
}

/// Two holders drop their references. The owner sleeps whenever it finds its inbox empty, until it
/// may end.
pub(in super::super) fn the_owner_sleeps() {
    let (world, mut heap) = World::new();
    let bell = UnseenArc::new(GcWaker {
        rung: Mutex::new(false),
        heard: Condvar::new(),
    });
    heap.wake_by(Waker::from(bell.clone()));
    let others = [heap.pack(), heap.pack()].map(|held| thread::spawn(move || used(held)));
    let mut sleepy = heap.drain_if_any();
    while let Some(heap) = sleepy {
        bell.wait();
        sleepy = heap.drain_if_any();
    }
    for other in others {
        other.join().unwrap();
    }
    is_over(world, None);
}
