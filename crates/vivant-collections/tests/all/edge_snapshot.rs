//! Collections report the external edges of their elements
//! ([`Heap::collect_external_edges`]), each once.

use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Heap, Object, Pacing, PageSource, Root, Stress, When, leaf};

/// A thing that is counted outside the heap.
#[derive(Clone)]
struct Door(u64);
leaf!([] Door, door shows &door.0);

struct House;

#[derive(Object, Default)]
struct Rooms<'gc> {
    list: gc::Vec<'gc, Door>,
    queue: gc::VecDeque<'gc, (u8, Door)>,
    names: gc::HashMap<'gc, u64, Door>,
    perhaps: gc::HashMap<'gc, u64, Option<Door>>,
    ordered: gc::BTreeMap<'gc, u64, Result<Door, u8>>,
}

impl Root for House {
    type Of<'gc> = Rooms<'gc>;
}

fn house(pacing: Pacing) -> Heap<House> {
    Heap::new(&Arc::new(PageSource::new()), pacing, |_| Rooms::default())
}

fn shown(heap: &mut Heap<House>) -> Vec<u64> {
    let mut doors = Vec::new();
    heap.collect_external_edges(&mut |held| doors.extend(held.downcast_ref::<u64>().copied()));
    doors.sort_unstable();
    doors
}

#[test]
fn collections_report_the_external_edges_of_their_elements() {
    let mut pacing = Pacing::default();
    pacing.stress = Some(Stress::new(When::All, 1));
    let mut heap = house(pacing);
    heap.turn(|m, rooms| {
        for door in 0..300 {
            rooms.list.push(m, Door(door));
            rooms.queue.push_back(m, (0, Door(300 + door)));
            rooms.names.insert(m, door, Door(600 + door));
            rooms
                .perhaps
                .insert(m, door, (door % 2 == 0).then_some(Door(900 + door)));
            rooms.ordered.insert(
                m,
                door,
                if door % 2 == 0 {
                    Err(0)
                } else {
                    Ok(Door(900 + door))
                },
            );
        }
    });
    assert_eq!(shown(&mut heap), (0..1_200).collect::<Vec<_>>());
    heap.turn(|m, rooms| {
        rooms.list.pop(m);
        rooms.queue.pop_front(m);
        rooms.names.remove(m, &7);
        rooms.ordered.remove(m, &9);
    });
    let left = (0..1_200).filter(|door| ![299, 300, 607, 909].contains(door));
    assert_eq!(shown(&mut heap), left.collect::<Vec<_>>());
}
