//! Tests for the only reference, and concurrent operations. Each scene ends with nothing left.

use super::scenes::{cloned, given, given_one, spawn, upgraded, used};

/// A value is taken out while another thread upgrades.
pub(in super::super) fn a_take_races_with_an_upgrade() {
    let (world, mut owner, mine, _) = given(0);
    let weak = mine.downgrade();
    let other = spawn(move || upgraded(&weak));
    owner.run(|| mine.into_inner());
    world.ends(owner, [other]);
}

/// Two threads want the value of an object without owner: one gets it.
pub(in super::super) fn two_take() {
    let (world, mut owner, one, two) = given_one();
    let mut one = one;
    // No thread is its owner, so the test ends the ownership.
    assert!(!one.get_mut());
    let other = spawn(move || two.into_inner());
    let here = one.into_inner();
    let there = other.join().unwrap();
    assert!(here != there, "one of the two gets the value");
    owner.run(|| ());
    drop(owner);
    world.check();
}

/// Another thread tests whether its reference is the only one, while the owner clones and drops.
pub(in super::super) fn a_probe_against_the_owner() {
    let (world, mut owner, mine, mut theirs) = given_one();
    let other = spawn(move || {
        theirs.get_mut();
        theirs.into_inner();
    });
    owner.run(|| cloned(mine));
    world.ends(owner, [other]);
}

/// The same, while a third thread clones and drops.
pub(in super::super) fn a_probe_against_others() {
    let (world, mut owner, mine, mut others) = given(2);
    let (mut one, two) = (others.remove(0), others.remove(0));
    owner.run(|| {
        let asks = spawn(move || {
            one.get_mut();
            drop(one);
        });
        let other = spawn(move || {
            let more = two.clone();
            used(two);
            more
        });
        used(mine);
        let more = other.join().unwrap();
        used(more);
        asks.join().unwrap();
    });
    drop(owner);
    world.check();
}

/// Two threads test at the same time. Meanwhile the owner runs, and one thread's reference is given
/// to it, cloned, and given back: that thread plays the owner here, with the counts alone.
pub(in super::super) fn two_probe() {
    let (world, mut owner, mine, theirs) = given_one();
    owner.run(|| {
        let mut asked = theirs;
        let asks = spawn(move || {
            asked.get_mut();
            asked
        });
        let plays = spawn(move || {
            let mut shared = mine.clone();
            // The owner drops the reference that it has got, clones the other, and gives back both.
            assert!(mine.header().drop_one_of_many());
            std::mem::forget(mine);
            assert!(shared.header().clone_owned());
            drop(shared.counted());
            shared.get_mut();
            shared.read();
            shared
        });
        let one = asks.join().unwrap();
        let two = plays.join().unwrap();
        used(one);
        used(two);
    });
    drop(owner);
    world.check();
}

/// A value is taken out by another thread, while its owner runs and ends.
pub(in super::super) fn a_take_while_the_owner_ends() {
    let (world, mut owner, mine, _) = given(0);
    let other = spawn(move || mine.into_inner());
    owner.run(|| ());
    drop(owner);
    other.join().unwrap();
    world.check();
}
