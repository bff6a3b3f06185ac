//! A shared object's external edges are not shown for any heap that refers to it: other heaps may
//! have the same edge.

use crate::injected_fault::{self, InjectedFault};
use crate::{Evacuator, FrozenParts, Gc, Heap, Mut, Object, Pacing, PageSource, Root, Tracer, Val};
use std::sync::Arc;

/// A thing that is counted elsewhere.
struct Door(u64);
crate::leaf!([] Door, door shows &door.0);

// SAFETY: a number, which does not change.
unsafe impl FrozenParts<'_> for Door {}

/// A private object that refers to shared ones. Implemented by hand: the derive names this crate
/// from outside.
struct Room<'gc> {
    door: Door,
    shared: [Val<'gc, Door>; 2],
    next: Option<Gc<'gc, Mut<Room<'gc>>>>,
}

// SAFETY: the arrays and options have all its references.
unsafe impl<'gc> Object<'gc> for Room<'gc> {
    type Static = Room<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.shared.trace(tracer);
        self.next.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.shared.evacuate(evacuator);
        self.next.evacuate(evacuator);
    }
    const HAS_EXTERNAL_EDGES: bool = true;
    fn trace_external(&self, shown: &mut crate::ExternalEdges<'_>) {
        self.door.trace_external(shown);
    }
}

struct House;

impl Root for House {
    type Of<'gc> = Gc<'gc, Mut<Room<'gc>>>;
}

/// The edges shown for two rooms with two shared doors each.
fn shown() -> Vec<u64> {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<House>::new(&source, Pacing::default(), |m| {
        let room = |door, next| {
            let shared = [m.val(Door(100 + door)), m.val(Door(200 + door))];
            m.alloc(Mut::new(Room {
                door: Door(door),
                shared,
                next,
            }))
        };
        room(1, Some(room(2, None)))
    });
    let mut doors = Vec::new();
    heap.collect_external_edges(&mut |held| doors.extend(held.downcast_ref::<u64>().copied()));
    assert_eq!(heap.stats().marked, 6, "what shows nothing is alive, too");
    heap.sweep();
    heap.turn(|_, room| {
        let room = room.borrow();
        assert_eq!((room.shared[0].0, room.shared[1].0), (101, 201));
    });
    doors
}

#[test]
fn shared_objects_show_no_external_edges() {
    assert_eq!(shown(), [1, 2]);
}

#[test]
fn an_injected_fault_of_external_edges_is_caught() {
    let doors = injected_fault::with(InjectedFault::SharedInSnapshot, shown);
    assert_ne!(doors, [1, 2]);
}
