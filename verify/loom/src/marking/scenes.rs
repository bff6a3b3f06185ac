//! Scenes of owners and markers at the same time.

use super::heap::{Mark, Name, Owner};
use crate::sync::Arc;
use loom::thread::{self, JoinHandle};

/// A marker that works as long as there is work for it, at most this many objects at a time.
fn marker(mark: &Arc<Mark>, most: usize) -> JoinHandle<()> {
    let mark = mark.clone();
    thread::spawn(move || while mark.work(most) {})
}

fn meet(objects: &[&[Name]], shared: &[Name], markers: &[usize], turn: impl FnOnce(&mut Owner)) {
    let mark = Mark::begins(objects, shared);
    let markers: Vec<_> = markers.iter().map(|most| marker(&mark, *most)).collect();
    let mut owner = Owner::new(&mark);
    turn(&mut owner);
    for marker in markers {
        marker.join().unwrap();
    }
}

pub(in super::super) fn a_write() {
    meet(&[&[1], &[]], &[], &[2, 2], |owner| {
        assert_eq!(owner.clears(0), [1]);
        owner.ends();
    });
}

pub(in super::super) fn a_hidden_object() {
    meet(&[&[1], &[2], &[]], &[], &[3], |owner| {
        // Only the turn leads to the last object.
        assert_eq!(owner.clears(1), [2]);
        owner.flush();
        assert_eq!(owner.clears(0), [1]);
        owner.ends();
    });
}

pub(in super::super) fn two_hidden_objects() {
    meet(&[&[1, 2], &[3], &[3], &[]], &[], &[1, 4], |owner| {
        assert_eq!(owner.clears(1), [3]);
        assert_eq!(owner.clears(2), [3]);
        owner.flush();
        assert_eq!(owner.clears(0), [1, 2]);
        owner.ends();
    });
}

pub(in super::super) fn two_markers() {
    meet(&[&[1], &[]], &[], &[1, 1], Owner::ends);
}

pub(in super::super) fn two_rounds() {
    meet(&[&[1, 2], &[], &[]], &[1], &[1], Owner::ends);
}

pub(in super::super) fn an_aborted_mark() {
    meet(&[&[1], &[]], &[], &[2, 1], Owner::gives_up);
}
