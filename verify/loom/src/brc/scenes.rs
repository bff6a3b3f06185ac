//! Concurrent operations of owners and other threads on an object. Each scene ends with nothing
//! left.

use super::current;
use super::entering;
use super::notice;
use super::object::{Brc, Owner, Weak, World};
use loom::thread;

/// An owner that no thread runs now, and references to one object of it: one for the owner and this
/// number of others.
pub(super) fn given(others: usize) -> (World, Owner, Brc, Vec<Brc>) {
    let world = World::new();
    let mut owner = Owner::new();
    let (mine, others) = owner.run(|| {
        let mine = Brc::new();
        let others = (0..others).map(|_| mine.clone()).collect();
        (mine, others)
    });
    (world, owner, mine, others)
}

/// The same, for one other.
pub(super) fn given_one() -> (World, Owner, Brc, Brc) {
    let (world, owner, mine, mut others) = given(1);
    (world, owner, mine, others.remove(0))
}

/// A thread that hands over at its end what it has to.
pub(super) fn spawn<R: 'static>(body: impl FnOnce() -> R + 'static) -> thread::JoinHandle<R> {
    thread::spawn(move || {
        let result = body();
        notice::report_all();
        result
    })
}

pub(super) fn used(reference: Brc) {
    reference.read();
    drop(reference);
}

/// Clones, and drops both.
pub(super) fn cloned(reference: Brc) {
    let more = reference.clone();
    used(reference);
    used(more);
}

pub(super) fn upgraded(weak: &Weak) {
    if let Some(found) = weak.upgrade() {
        used(found);
    }
}

/// The owner and another thread drop theirs.
pub(in super::super) fn both_drop() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    owner.run(|| used(mine));
    world.ends(owner, [other]);
}

/// The owner drops its last reference, and another thread a clone that it had made.
pub(in super::super) fn the_owner_drops_its_last() {
    let (world, mut owner, mine, _) = given(0);
    let theirs = mine.clone();
    let other = spawn(move || used(theirs));
    owner.run(|| used(mine));
    world.ends(owner, [other]);
}

/// Two other threads put references into the queue, while the owner comes and goes.
pub(in super::super) fn two_objects_are_queued() {
    let world = World::new();
    let mut owner = Owner::new();
    let made = || {
        let one = Brc::new();
        (one.clone(), one)
    };
    let (one, two) = owner.run(|| (made(), made()));
    let other = spawn(move || drop(one));
    let another = spawn(move || drop(two));
    owner.run(|| ());
    other.join().unwrap();
    another.join().unwrap();
    world.check_values();
    drop(owner);
    world.check();
}

/// All references are elsewhere, while the owner comes and goes.
pub(in super::super) fn two_others_drop() {
    let (world, mut owner, one, two) = given_one();
    let owning = spawn(move || {
        owner.run(current::safe_point);
        owner
    });
    let other = spawn(move || used(one));
    used(two);
    other.join().unwrap();
    drop(owning.join().unwrap());
    world.check();
}

/// Another thread has the only one, and the owner leaves.
pub(in super::super) fn the_only_one_is_elsewhere() {
    let (world, mut owner, mine, _) = given(0);
    let other = spawn(move || used(mine));
    owner.run(|| ());
    other.join().unwrap();
    world.check_values();
    drop(owner);
    world.check();
}

/// Another thread has all references, of which one is not the only one, and the owner leaves.
pub(in super::super) fn the_owner_leaves() {
    let (world, mut owner, one, two) = given_one();
    let other = spawn(move || {
        used(one);
        used(two);
    });
    owner.run(|| ());
    other.join().unwrap();
    // The later of the two has destroyed it.
    world.check_values();
    drop(owner);
    world.check();
}

/// Another thread clones, and drops both.
pub(in super::super) fn another_clones() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || cloned(theirs));
    owner.run(|| cloned(mine));
    world.ends(owner, [other]);
}

/// The nine steps, with the owner at its safe points meanwhile.
pub(in super::super) fn nine_steps() {
    let (world, mut owner, one, two) = given_one();
    owner.run(|| {
        let other = spawn(move || {
            drop(one);
            let three = two.clone();
            (two, three)
        });
        current::safe_point();
        let (two, three) = other.join().unwrap();
        used(two);
        used(three);
        current::safe_point();
    });
    drop(owner);
    world.check();
}

/// The owner ends while another thread drops the last one.
pub(in super::super) fn the_owner_ends() {
    let (world, owner, mine, _) = given(0);
    let other = spawn(move || used(mine));
    drop(owner);
    other.join().unwrap();
    world.check();
}

/// The owner drops its own and ends, and another thread drops.
pub(in super::super) fn the_owner_drops_and_ends() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    owner.run(|| used(mine));
    drop(owner);
    other.join().unwrap();
    world.check();
}

/// Two other threads put references into the queue, while the owner ends.
pub(in super::super) fn the_owner_ends_between_two() {
    let world = World::new();
    let mut owner = Owner::new();
    let (one, two) = owner.run(|| (Brc::new(), Brc::new()));
    let other = spawn(move || used(one));
    let another = spawn(move || used(two));
    drop(owner);
    other.join().unwrap();
    another.join().unwrap();
    world.check();
}

/// The owner goes from one thread to another while a third one drops.
pub(in super::super) fn the_owner_moves() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    let owning = spawn(move || {
        let more = owner.run(|| mine.clone());
        (owner, mine, more)
    });
    let (mut owner, mine, more) = owning.join().unwrap();
    owner.run(|| {
        used(mine);
        used(more);
    });
    world.ends(owner, [other]);
}

/// The owner waits for something, and comes back.
pub(in super::super) fn the_owner_is_detached() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    owner.run(|| {
        entering::detached(|| ());
        used(mine);
    });
    world.ends(owner, [other]);
}

/// An id is given again while a thread may still push to its previous entry.
pub(in super::super) fn an_id_is_used_again() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    owner.run(|| used(mine));
    drop(owner);
    let mut next = Owner::new();
    next.run(|| {
        let new = Brc::new();
        let more = new.clone();
        used(new);
        used(more);
    });
    drop(next);
    other.join().unwrap();
    world.check();
}

/// Another owner runs when an object of an ended owner is dropped.
pub(in super::super) fn an_ended_owner_is_replaced() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    owner.run(|| used(mine));
    drop(owner);
    let mut next = Owner::new();
    next.run(|| {
        drop(Brc::new());
        other.join().unwrap();
        world.check_values();
    });
    drop(next);
    world.check();
}

/// An upgrade by another thread, while the owner drops the last one.
pub(in super::super) fn another_upgrades() {
    let (world, mut owner, mine, _) = given(0);
    let weak = mine.downgrade();
    let other = spawn(move || upgraded(&weak));
    owner.run(|| used(mine));
    world.ends(owner, [other]);
}

/// An upgrade by the owner, while another thread drops the last one.
pub(in super::super) fn the_owner_upgrades() {
    let (world, mut owner, mine, _) = given(0);
    let weak = mine.downgrade();
    let other = spawn(move || used(mine));
    owner.run(|| upgraded(&weak));
    other.join().unwrap();
    drop(owner);
    drop(weak);
    world.check();
}

/// An upgrade by another thread, while a third one drops the last one and the owner merges it.
pub(in super::super) fn another_upgrades_what_is_merged() {
    let (world, mut owner, mine, _) = given(0);
    let weak = mine.downgrade();
    let other = spawn(move || used(mine));
    let upgrades = spawn(move || upgraded(&weak));
    owner.run(current::safe_point);
    world.ends(owner, [other, upgrades]);
}

/// The first weak references come and go, while the owner drops the last one.
pub(in super::super) fn weak_references_come_and_go() {
    let (world, mut owner, mine, theirs) = given_one();
    let other = spawn(move || {
        let weak: Weak = theirs.downgrade();
        drop(theirs);
        let more = weak.clone();
        drop(weak);
        drop(more.upgrade());
    });
    owner.run(|| {
        let weak = mine.downgrade();
        used(mine);
        drop(weak);
    });
    world.ends(owner, [other]);
}

/// A test for the only reference merges for an owner that no thread runs, while a reference is on
/// its way to that owner.
pub(in super::super) fn a_merge_meets_a_reference_on_its_way() {
    let (world, owner, mut mine, theirs) = given_one();
    let other = spawn(move || used(theirs));
    let asks = spawn(move || {
        let more = mine.clone();
        mine.get_mut();
        used(mine);
        used(more);
    });
    world.ends(owner, [other, asks]);
}

/// An upgrade, while the object is being made.
pub(in super::super) fn a_birth_with_a_way_back() {
    let world = World::new();
    let mut owner = Owner::new();
    let mut other = None;
    owner.run(|| {
        let born = Brc::new_cyclic(|weak| {
            let weak = weak.clone();
            other = Some(spawn(move || upgraded(&weak)));
        });
        used(born);
    });
    world.ends(owner, [other.unwrap()]);
}

/// A deferred destruction is done by the next thread that hands over, or by the owner.
pub(in super::super) fn a_deferred_value_is_destroyed() {
    let world = World::new();
    let mut owner = Owner::new();
    let (one, two) = owner.run(|| (Brc::new(), Brc::new()));
    let weak = one.downgrade();
    owner.run(|| {
        let other = spawn(move || {
            used(one);
            used(two);
        });
        drop(weak.upgrade());
        current::safe_point();
        other.join().unwrap();
    });
    drop((owner, weak));
    world.check();
}
