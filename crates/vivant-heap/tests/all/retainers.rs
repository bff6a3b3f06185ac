//! The retainers of a shared object ([`Sharer`]), queried at any time between turns: with young
//! objects, dead ones that are not swept, tag entries, components of other heaps.

use crate::seeds::seeds;
use fastrand::Rng;
use std::collections::HashSet;
use std::sync::Arc;
use vivant_heap::{DetachedHeap, Gc, Heap, Held, Mut, Object, ObjectName, Pacing, PageSource};
use vivant_heap::{Parcel, Sharer, Stress, Tag, Val, When};

/// Shared. Its note may belong to another heap, and so may the sheet before.
#[derive(Object)]
struct Sheet<'gc> {
    note: Val<'gc, u64>,
    before: Option<Val<'gc, Sheet<'gc>>>,
}

/// Private, and exchanged with each write: so there is always a young object, and a dead one.
#[derive(Object)]
struct Slot<'gc> {
    sheet: Option<Val<'gc, Sheet<'gc>>>,
    /// Refers to another slot in the desk.
    beside: Option<Gc<'gc, Mut<Slot<'gc>>>>,
}

#[derive(Object)]
struct Desk<'gc> {
    slots: [Gc<'gc, Mut<Slot<'gc>>>; SLOTS],
    name: Option<Tag<'gc, Mut<Slot<'gc>>>>,
}

root!(Office = Desk<'gc>);

type Sent = Parcel<Val<'static, Sheet<'static>>>;

const SLOTS: usize = 3;

/// The expected content of a sheet.
#[derive(Clone, Copy)]
struct Known {
    owner: usize,
    note: usize,
    before: Option<usize>,
}

/// The expected content of all heaps.
struct Model {
    /// The owner of each note. A note's value is its number.
    notes: Vec<usize>,
    sheets: Vec<Known>,
    slots: Vec<[Option<usize>; SLOTS]>,
}

impl Model {
    /// Whether the heap's own objects lead from these sheets to a note.
    fn leads(&self, heap: usize, from: Vec<usize>, note: usize) -> bool {
        let (mut open, mut met) = (from, HashSet::new());
        while let Some(sheet) = open.pop() {
            let known = self.sheets[sheet];
            if known.owner == heap && met.insert(sheet) {
                if known.note == note {
                    return true;
                }
                open.extend(known.before);
            }
        }
        false
    }

    fn state(&self, heap: usize) -> Vec<usize> {
        self.slots[heap].iter().flatten().copied().collect()
    }

    /// Whether a heap has an object of the owner's that leads to this note there.
    fn has(&self, heap: usize, owner: usize, note: usize) -> bool {
        let (mut open, mut met) = (self.state(heap), HashSet::new());
        while let Some(sheet) = open.pop() {
            let known = self.sheets[sheet];
            if known.owner == heap && met.insert(sheet) {
                if known.note == note {
                    return true;
                }
                open.extend(known.before);
            } else if self.leads(owner, vec![sheet], note) {
                return true;
            }
        }
        false
    }
}

fn desk(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Office> {
    Heap::new(source, pacing, |m| {
        let empty = || Slot {
            sheet: None,
            beside: None,
        };
        let slots = [(); SLOTS].map(|()| m.alloc(Mut::new(empty())));
        Desk {
            slots,
            name: Some(m.tag(slots[0])),
        }
    })
}

/// The retainers of an object, by its owner's counts.
struct Retainers {
    /// Whether the owner's own state refers to it, directly or through other objects.
    own: bool,
    /// The exports through which it is reached: itself, and its containers.
    containers: HashSet<ObjectName>,
    /// The sum of their counts.
    weight: i64,
}

fn retainers(heap: &mut dyn Sharer, of: ObjectName) -> Retainers {
    let graph = heap.graph();
    let (mut open, mut reaching) = (vec![of], HashSet::new());
    while let Some(object) = open.pop() {
        if reaching.insert(object) {
            open.extend(graph.referrers(object));
        }
    }
    Retainers {
        own: reaching.iter().any(|object| graph.is_root(*object)),
        weight: reaching.iter().map(|object| graph.count(*object)).sum(),
        containers: reaching,
    }
}

/// The sum of the weights that a heap has of some objects; `None` if it has none of them.
fn weight_of(heap: &dyn Sharer, objects: &HashSet<ObjectName>) -> Option<i64> {
    let mut sum = None;
    heap.imports(&mut |object, weight| {
        if objects.contains(&object) {
            sum = Some(sum.unwrap_or(0) + weight);
        }
    });
    sum
}

/// Asserts that the weights that an owner knows of are those that other heaps have, whatever is
/// queried and when.
fn check(
    heaps: &mut [Option<Heap<Office>>],
    detached_heaps: &mut [DetachedHeap],
    held: &[(usize, Held<u64>)],
    model: &Model,
) {
    for (note, one) in held {
        let owner = model.notes[*note];
        let retainers = match &mut heaps[owner] {
            Some(heap) => {
                // Once as it is, and once with the inbox drained.
                let _before = retainers(heap, one.object());
                heap.drain_all();
                retainers(heap, one.object())
            }
            None => {
                let heap = detached_heaps.iter_mut().map(DetachedHeap::sharer);
                let heap = heap.into_iter().find(|heap| heap.id() == one.owner());
                let heap = heap.expect("an owner outlives what is held");
                retainers(heap, one.object())
            }
        };
        assert_eq!(
            retainers.own,
            heaps[owner].is_some() && model.leads(owner, model.state(owner), *note),
            "of {note}"
        );
        let is_notified = heaps[owner].is_none();
        let of_heaps: i64 = heaps
            .iter()
            .flatten()
            .filter_map(|heap| weight_of(heap, &retainers.containers))
            .sum();
        let of_detached: i64 = detached_heaps
            .iter_mut()
            .filter_map(|detached| weight_of(detached.sharer(), &retainers.containers))
            .sum();
        let of_held = held
            .iter()
            .filter(|(_, held)| retainers.containers.contains(&held.object()))
            .count();
        if !is_notified {
            assert_eq!(
                retainers.weight,
                of_heaps + of_detached + of_held as i64,
                "of {note}"
            );
        }
    }
}

/// Asserts that each heap with an object of an owner's, directly or by a container, is found as
/// soon as it has been marked.
fn all_retainers_are_found(
    heaps: &mut [Option<Heap<Office>>],
    held: &[(usize, Held<u64>)],
    model: &Model,
) {
    heaps.iter_mut().flatten().for_each(Heap::collect);
    for (note, one) in held {
        let owner = model.notes[*note];
        let Some(heap) = &mut heaps[owner] else {
            continue;
        };
        heap.drain_all();
        let retainers = retainers(heap, one.object());
        for (at, heap) in heaps.iter().enumerate().filter(|(at, _)| *at != owner) {
            let weight = heap
                .as_ref()
                .and_then(|heap| weight_of(heap, &retainers.containers));
            assert!(
                weight.is_some() || !model.has(at, owner, *note),
                "{at} keeps {note}"
            );
        }
    }
}

fn program(seed: u64, steps: usize) {
    let mut random = Rng::with_seed(seed);
    let mut below = |most: usize| random.usize(..most);
    let source = Arc::new(PageSource::new());
    let mut pacing = Pacing::default();
    pacing.stress = seed
        .is_multiple_of(2)
        .then(|| Stress::new(When::Chance, seed));
    let mut heaps: Vec<_> = (0..3).map(|_| Some(desk(&source, pacing))).collect();
    let mut detached_heaps = Vec::new();
    let mut held: Vec<(usize, Held<u64>)> = Vec::new();
    let mut model = Model {
        notes: Vec::new(),
        sheets: Vec::new(),
        slots: vec![[None; SLOTS]; 3],
    };
    for step in 0..steps {
        let (at, slot, other) = (below(3), below(SLOTS), below(SLOTS));
        let Some(heap) = heaps[at].as_mut() else {
            continue;
        };
        match below(12) {
            0..3 => {
                let note = model.notes.len();
                model.notes.push(at);
                let before = model.slots[at][other];
                model.slots[at][slot] = Some(model.sheets.len());
                model.sheets.push(Known {
                    owner: at,
                    note,
                    before,
                });
                heap.turn(|m, desk| {
                    let before = desk.slots[other].borrow().sheet;
                    let note = m.val(note as u64);
                    let sheet = Some(m.val(Sheet { note, before }));
                    let beside = Some(desk.slots[other]);
                    // Other slots, and a tag, may refer to the slot that is replaced.
                    desk.slots[slot].borrow_mut(m).sheet = None;
                    desk.slots[slot] = m.alloc(Mut::new(Slot { sheet, beside }));
                    desk.name = (below(2) == 0).then(|| m.tag(desk.slots[slot]));
                });
            }
            // A sheet of the heap's own, with a note of another heap.
            3 => {
                let Some(of) = model.slots[at][other] else {
                    continue;
                };
                let note = model.sheets[of].note;
                model.slots[at][slot] = Some(model.sheets.len());
                model.sheets.push(Known {
                    owner: at,
                    note,
                    before: None,
                });
                heap.turn(|m, desk| {
                    let note = desk.slots[other].borrow().sheet.map(|sheet| sheet.note);
                    let sheet = note.map(|note| m.val(Sheet { note, before: None }));
                    desk.slots[slot].borrow_mut(m).sheet = sheet;
                });
            }
            4 => {
                model.slots[at][slot] = None;
                heap.turn(|m, desk| desk.slots[slot].borrow_mut(m).sheet = None);
            }
            5..7 => {
                let to = (at + 1 + below(2)) % 3;
                let Some(sheet) = model.slots[at][slot] else {
                    continue;
                };
                let parcel: Option<Sent> = heap.turn(|m, desk| {
                    let sheet = desk.slots[slot].borrow().sheet;
                    sheet.map(|sheet| m.pack(sheet))
                });
                if let (Some(parcel), Some(heap)) = (parcel, heaps[to].as_mut()) {
                    model.slots[to][other] = Some(sheet);
                    heap.turn(|m, desk| {
                        let sheet = Some(m.unpack(parcel));
                        desk.slots[other].borrow_mut(m).sheet = sheet;
                    });
                }
            }
            7..9 => {
                let Some(sheet) = model.slots[at][slot] else {
                    continue;
                };
                let one = heap.turn(|m, desk| {
                    let sheet = desk.slots[slot].borrow().sheet;
                    sheet.map(|sheet| m.hold(sheet.note))
                });
                held.extend(one.map(|one| (model.sheets[sheet].note, one)));
            }
            9 if !held.is_empty() => {
                let (note, one) = held.swap_remove(below(held.len()));
                assert_eq!(*one, note as u64);
                if below(2) == 0 {
                    held.push((note, one.clone()));
                }
            }
            10 => match below(4) {
                0 => heap.collect_young(),
                1 => heap.collect(),
                2 => heap.sweep(),
                _ => heap.pace(),
            },
            _ if step > steps / 2 && below(6) == 0 => {
                model.slots[at] = [None; SLOTS];
                detached_heaps.extend(heaps[at].take().and_then(Heap::end));
            }
            _ => {}
        }
        if step % 3 == 0 {
            check(&mut heaps, &mut detached_heaps, &held, &model);
        }
        if step % 16 == 15 {
            all_retainers_are_found(&mut heaps, &held, &model);
        }
    }
    drop(held);
    detached_heaps.extend(heaps.into_iter().flatten().filter_map(Heap::end));
    while !detached_heaps.is_empty() {
        let before: usize = detached_heaps.len();
        detached_heaps = detached_heaps
            .into_iter()
            .filter_map(DetachedHeap::drain_all)
            .collect();
        assert!(
            detached_heaps.len() < before || detached_heaps.iter().any(DetachedHeap::is_notified),
            "no heap refers to these"
        );
    }
}

#[test]
fn seeded_owners_and_importers_agree_on_retainers() {
    let (most, steps) = if cfg!(miri) { (2, 60) } else { (1_000, 200) };
    seeds(15).take(most).for_each(|seed| program(seed, steps));
}
