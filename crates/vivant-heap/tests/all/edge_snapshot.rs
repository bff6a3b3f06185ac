//! Holdings that objects report, of things counted outside the heap
//! ([`Heap::collect_external_edges`]): each once, and none that other code can reach.

use std::sync::Arc;
use vivant_heap::{
    ExternalEdges, Gc, Heap, Iso, Mut, Mutator, Object, Pacing, PageSource, Root, Stress,
};
use vivant_heap::{Weak, When, leaf};

/// A thing that is counted outside the heap.
#[derive(Clone)]
struct Door(u64);
leaf!([] Door, door shows &door.0);

#[derive(Object)]
enum Wall<'gc> {
    Blind,
    Door(Door),
    Doors {
        doors: Vec<Door>,
        behind: Option<Gc<'gc, Mut<Wall<'gc>>>>,
    },
    Hidden(#[object(leaf)] Door),
}

struct House;

#[derive(Object)]
struct Rooms<'gc> {
    /// In the state itself: the state's holder reads it directly.
    own: Door,
    walls: Vec<Gc<'gc, Mut<Wall<'gc>>>>,
    slices: Vec<Gc<'gc, [Door]>>,
    region: Option<Iso<Gc<'static, Mut<Wall<'static>>>>>,
    weak: Option<Weak<'gc, Mut<Wall<'gc>>>>,
}

impl Root for House {
    type Of<'gc> = Rooms<'gc>;
}

fn house(pacing: Pacing) -> Heap<House> {
    Heap::new(&Arc::new(PageSource::new()), pacing, |_| Rooms {
        own: Door(1_000),
        walls: Vec::new(),
        slices: Vec::new(),
        region: None,
        weak: None,
    })
}

fn edges(heap: &mut Heap<House>) -> Vec<u64> {
    let mut doors = Vec::new();
    heap.collect_external_edges(&mut |held| doors.extend(held.downcast_ref::<u64>().copied()));
    doors.sort_unstable();
    doors
}

/// A wall of each kind in a chain, with a cycle at the end.
fn build<'gc>(m: &Mutator<'gc>, rooms: &mut Rooms<'gc>) {
    let inner = m.alloc(Mut::new(Wall::Door(Door(1))));
    let circle = m.alloc(Mut::new(Wall::Blind));
    *circle.borrow_mut(m) = Wall::Doors {
        doors: vec![Door(2), Door(3)],
        behind: Some(circle),
    };
    let hidden = m.alloc(Mut::new(Wall::Hidden(Door(1_001))));
    // Reachable twice, and reported once.
    rooms.walls = vec![inner, circle, hidden, inner];
    rooms.slices = vec![m.alloc_slice([Door(4), Door(5)])];
}

#[test]
fn each_object_reports_its_external_edges_once() {
    let mut heap = house(Pacing::default());
    assert!(!heap.shows());
    heap.turn(build);
    assert!(heap.shows());
    for _ in 0..3 {
        assert_eq!(edges(&mut heap), [1, 2, 3, 4, 5]);
    }
    heap.turn(|m, rooms| *rooms.walls[0].borrow_mut(m) = Wall::Blind);
    assert_eq!(edges(&mut heap), [2, 3, 4, 5]);
    heap.turn(|_, rooms| rooms.walls.clear());
    assert_eq!(edges(&mut heap), [4, 5], "what is dead shows nothing");
}

#[test]
fn regions_and_weak_references_report_no_external_edges() {
    let mut heap = house(Pacing::default());
    heap.turn(|m, rooms| {
        rooms.region = Some(m.iso(|r| r.alloc(Mut::new(Wall::Door(Door(2))))));
        rooms.weak = Some(Weak::new(m, m.alloc(Mut::new(Wall::Door(Door(3))))));
    });
    assert!(edges(&mut heap).is_empty());
    heap.turn(|m, rooms| {
        let merged = rooms.region.take().map(|region| region.merge(m));
        rooms.walls.extend(merged);
    });
    assert_eq!(
        edges(&mut heap),
        [2],
        "what was a region's is the heap's own"
    );
}

#[test]
fn a_merged_region_makes_a_heap_report_external_edges() {
    let mut heap = house(Pacing::default());
    heap.turn(|m, rooms| {
        rooms.region = Some(m.iso(|r| r.alloc(Mut::new(Wall::Blind))));
    });
    assert!(!heap.shows());
    heap.turn(|m, rooms| {
        let merged = rooms.region.take().map(|region| region.merge(m));
        rooms.walls.extend(merged);
    });
    assert!(heap.shows());
}

/// A call of `trace_external` in a turn reads the object, as by `borrow`.
#[test]
fn an_object_is_not_written_while_its_edges_are_reported() {
    let mut house = house(Pacing::default());
    house.turn(|m, _| {
        let doors = m.alloc(Mut::new(vec![Door(1), Door(2)]));
        let mut seen = Vec::new();
        (*doors).trace_external(&mut ExternalEdges::to(&mut |held| {
            if let Ok(mut written) = doors.try_borrow_mut(m) {
                written.extend((3..99).map(Door));
            }
            seen.extend(held.downcast_ref::<u64>().copied());
        }));
        assert_eq!(seen, [1, 2]);
        assert_eq!(doors.borrow().len(), 2);
        doors.borrow_mut(m).push(Door(3));
    });
}

#[test]
fn an_object_being_written_reports_no_external_edges() {
    let mut house = house(Pacing::default());
    house.turn(|m, _| {
        let doors = m.alloc(Mut::new(vec![Door(1)]));
        let mut written = doors.borrow_mut(m);
        let last = &mut *written;
        let mut seen = 0;
        (*doors).trace_external(&mut ExternalEdges::to(&mut |_| seen += 1));
        last.push(Door(2));
        assert_eq!(seen, 0);
    });
}

/// A forgotten borrow ends before the heap is marked.
#[test]
fn a_forgotten_borrow_does_not_hide_external_edges() {
    let mut house = house(Pacing::default());
    house.turn(build);
    for _ in 0..3 {
        house.turn(|m, rooms| {
            for wall in &rooms.walls {
                if let Ok(written) = wall.try_borrow_mut(m) {
                    std::mem::forget(written);
                }
            }
        });
        assert_eq!(edges(&mut house), [1, 2, 3, 4, 5]);
    }
}

/// A thing that cannot always be reported.
struct Stuck(u64);
leaf!([] Stuck, stuck shows { assert_ne!(stuck.0, 2, "stuck"); &stuck.0 });

#[derive(Object)]
struct Corridor<'gc> {
    door: Stuck,
    next: Option<Gc<'gc, Corridor<'gc>>>,
}

root!(Cellar = Gc<'gc, Corridor<'gc>>);

/// Reporting a holding, and receiving it, run foreign code: both run when the mark is over.
#[test]
fn a_panic_while_edges_are_reported_leaves_the_heap_valid() {
    let mut pacing = Pacing::default();
    pacing.stress = Some(Stress::new(When::All, 1));
    let source = Arc::new(PageSource::new());
    let mut cellar = Heap::<Cellar>::new(&source, pacing, |m| {
        let corridor = |next, door| {
            m.alloc(Corridor {
                door: Stuck(door),
                next,
            })
        };
        let last = corridor(None, 1);
        let stuck = corridor(Some(last), 2);
        corridor(Some(stuck), 3)
    });
    let show = |cellar: &mut Heap<Cellar>| {
        let mut seen = Vec::new();
        let shows = std::panic::AssertUnwindSafe(|| {
            cellar.collect_external_edges(&mut |held| {
                seen.extend(held.downcast_ref::<u64>().copied())
            });
        });
        let panicked = std::panic::catch_unwind(shows).is_err();
        (seen, panicked)
    };
    assert_eq!(show(&mut cellar), (vec![3], true));
    cellar.verify().unwrap();
    cellar.turn(|m, first| {
        *first = m.alloc(Corridor {
            door: Stuck(4),
            next: first.next,
        })
    });
    cellar.pace();
    assert_eq!(show(&mut cellar), (vec![4], true));
    cellar.turn(|_, first| *first = first.next.and_then(|stuck| stuck.next).unwrap());
    assert_eq!(show(&mut cellar), (vec![1], false));
    cellar.sweep();
}
