//! Attempts to break the heap by safe programs. The outcome of each is in `README.md`.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use crate::heaps::panics;
use crate::heaps::verified;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Anything, Gc, Heap, Leaf, Mut, Mutator, Object, PageSource, Root, Weak, unsize};

mod cells;

fn heap<R: Root>(make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>) -> Heap<R> {
    Heap::new(&Arc::new(PageSource::new()), verified(), make)
}

/// Panics when dropped.
struct Panics(DropCounter);

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("at the end of number {}", self.0.0.load(Ordering::Relaxed));
    }
}

root!(Slices = Option<Gc<'gc, [Leaf<Panics>]>>);

/// Two panics of one object's parts: a slice is dropped element by element, and a second panic does
/// not meet the first.
#[test]
fn all_elements_of_a_slice_may_panic_when_dropped() {
    let ends = Arc::new(AtomicUsize::new(0));
    for large in [false, true] {
        let count = if large { 300 } else { 3 };
        let mut heap = heap::<Slices>(|m| {
            let element = |_| Leaf(Panics(DropCounter(ends.clone())));
            Some(m.alloc_iter((0..count).map(element)))
        });
        heap.collect();
        assert_eq!(ends.swap(0, Ordering::Relaxed), 0);
        heap.turn(|_, slice| *slice = None);
        heap.collect_and_sweep();
        assert_eq!(ends.swap(0, Ordering::Relaxed), count);
        assert_eq!(heap.stats().panics, 1);
    }
}

/// A type that may have references, and needs no memory: so there may be more values of it than can
/// be scanned.
type Nothing<'gc> = [Gc<'gc, u64>; 0];

const MANY: usize = 1 << 60;

struct Nothings;

impl Root for Nothings {
    type Of<'gc> = (
        Gc<'gc, [Nothing<'gc>; MANY]>,
        Gc<'gc, [Nothing<'gc>]>,
        Vec<Nothing<'gc>>,
        Gc<'gc, [()]>,
    );
}

#[test]
fn any_number_of_zero_sized_values_is_scanned_at_once() {
    let mut heap = heap::<Nothings>(|m| {
        (
            m.alloc([[]; MANY]),
            m.alloc_slice([[]; MANY]),
            Vec::from([[]; MANY]),
            m.alloc_slice([(); MANY]),
        )
    });
    heap.collect_young();
    heap.collect();
    heap.turn(|m, (array, slice, vector, units)| {
        assert_eq!(
            [array.len(), slice.len(), vector.len(), units.len()],
            [MANY; 4]
        );
        // No length can represent this.
        assert!(panics(|| m.alloc_slice([(); usize::MAX])));
    });
    heap.collect();
}

#[derive(Object)]
struct Frozen<'gc> {
    part: Gc<'gc, Mut<u64>>,
    large: Option<Box<[u64; 4]>>,
    padding: [u64; 300],
}

root!(Old = (Gc<'gc, Frozen<'gc>>, Gc<'gc, [Gc<'gc, Mut<u64>>]>, Option<Weak<'gc, Mut<u64>>>));

/// Immutable objects, born old and small, refer to an object that stays young once more, and then
/// is tenured.
#[test]
fn immutable_objects_refer_to_ageing_objects() {
    let mut heap = heap::<Old>(|m| {
        let part = m.alloc(Mut::new(1));
        let frozen = Frozen {
            part,
            large: Some(Box::new([1; 4])),
            padding: [0; 300],
        };
        (
            m.alloc(frozen),
            m.alloc_slice([part, part]),
            Some(Weak::new(m, part)),
        )
    });
    for round in 0..5 {
        heap.collect_young();
        heap.turn(|m, (frozen, slice, weak)| {
            assert!(Gc::ptr_eq(frozen.part, slice[1]));
            assert!(Gc::ptr_eq(frozen.part, weak.unwrap().upgrade(m).unwrap()));
            let before = frozen.part.replace(m, round + 2);
            assert_eq!((before, slice[0].get()), (round + 1, round + 2));
        });
        if round == 3 {
            heap.collect();
        }
    }
}

root!(Watched = (Vec<Gc<'gc, Mut<u64>>>, Vec<Weak<'gc, Mut<u64>>>, Vec<Weak<'gc, [u64]>>));

/// More marks than there are epochs, with sweeps that have hardly begun: no dead object is
/// accessed, and no live one is lost.
#[test]
fn epochs_are_reused_while_dead_objects_are_unswept() {
    let objects = if cfg!(miri) { 6 } else { 900 };
    let mut heap = heap::<Watched>(|_| Default::default());
    for round in 0..11_u64 {
        heap.turn(|m, (kept, weak, slices)| {
            weak.retain(|weak| weak.upgrade(m).is_some());
            slices.retain(|weak| weak.upgrade(m).is_some());
            assert_eq!(weak.len(), kept.len());
            assert_eq!(slices.len(), 0);
            for n in 0..objects {
                let object = m.alloc(Mut::new(round));
                m.watch_death(object, round);
                weak.push(Weak::new(m, object));
                slices.push(Weak::new(m, m.alloc_slice([round; 3])));
                if n % 3 == round % 3 {
                    kept.push(object);
                }
            }
            if round % 2 == 1 {
                kept.retain(|object| object.get() + 2 > round);
            }
        });
        if round % 3 == 0 {
            heap.collect_young();
        }
        heap.collect();
        if round % 4 == 0 {
            heap.pace();
        }
    }
    heap.turn(|_, state| *state = Default::default());
    heap.collect_and_sweep();
    assert_eq!(heap.stats().live, 0);
    assert_eq!(heap.take_deaths().len() as u64, 11 * objects);
}

thread_local! {
    static OTHER: RefCell<Option<Heap<Watched>>> = const { RefCell::new(None) };
}

/// Makes another heap of the same source collect, grow and end, wherever its own destructor runs.
struct Meddles;

impl Drop for Meddles {
    fn drop(&mut self) {
        OTHER.with_borrow_mut(|other| {
            if let Some(other) = other {
                other.turn(|m, (kept, ..)| kept.push(m.alloc(Mut::new(1))));
                other.collect_young();
                other.collect();
                other.turn(|m, (kept, ..)| {
                    kept.truncate(3);
                    m.alloc_slice(vec![0_u64; 600]);
                });
            }
        });
    }
}

root!(Meddlers = Vec<Gc<'gc, (Leaf<Meddles>, Option<Gc<'gc, Mut<u64>>>)>>);

/// Destructors in the middle of a collection, of a sweep, and of the sweep that makes room for
/// tenured objects.
#[test]
fn destructors_may_use_other_heaps_of_the_source() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Meddlers>::new(&source, verified(), |_| Vec::new());
    OTHER.set(Some(Heap::new(&source, verified(), |_| Default::default())));
    for round in 0..6 {
        heap.turn(|m, state| {
            if round % 2 == 0 {
                state.clear();
            }
            for n in 0..if cfg!(miri) { 2 } else { 300 } {
                let one = m.alloc((Leaf(Meddles), Some(m.alloc(Mut::new(n)))));
                if n % 2 == 0 {
                    state.push(one);
                }
            }
        });
        match round {
            2 => heap.collect(),
            _ => heap.collect_young(),
        }
    }
    drop(heap);
    let mut other = OTHER.take().unwrap();
    other.verify().unwrap();
    drop(other);
    assert_eq!(source.stats().pages, 0);
}

root!(Anythings = Vec<Gc<'gc, dyn Anything>>);

type Any = for<'a> fn(&'a u8);
type Forever = fn(&'static u8);

/// A type and its subtype have two tables, and a downcast does not confuse them.
#[test]
fn a_downcast_distinguishes_subtypes() {
    fn nothing(_: &u8) {}
    let mut heap = heap::<Anythings>(|m| {
        let any = m.alloc(Leaf(nothing as Any));
        let forever: Gc<'_, Leaf<Forever>> = m.alloc(Leaf(nothing as Forever));
        vec![
            unsize!(any => dyn Anything),
            unsize!(forever => dyn Anything),
        ]
    });
    for _ in 0..3 {
        heap.collect_young();
        heap.turn(|_, all| {
            let any = all
                .iter()
                .map(|&one| Gc::downcast::<Leaf<Any>>(one).is_some());
            assert!(any.eq([true, false]));
            let forever = all
                .iter()
                .map(|&one| Gc::downcast::<Leaf<Forever>>(one).is_some());
            assert!(forever.eq([false, true]));
            assert!(Gc::downcast::<Mut<Leaf<Any>>>(all[0]).is_none());
        });
    }
}

/// A heap's state type by way of other traits, with a lifetime that is named twice, and once not at
/// all.
trait Projected<'gc> {
    type Out: Object<'gc>;
}

impl<'gc> Projected<'gc> for () {
    type Out = Pair<'gc, <u8 as Projected<'gc>>::Out>;
}

impl<'gc> Projected<'gc> for u8 {
    type Out = Option<Gc<'gc, Mut<String>>>;
}

#[derive(Object)]
struct Pair<'gc, T>
where
    T: Object<'gc>,
{
    one: T,
    other: Gc<'gc, T>,
}

root!(Roundabout = <() as Projected<'gc>>::Out);

#[test]
fn a_state_named_by_projections_is_scanned() {
    let mut heap = heap::<Roundabout>(|m| {
        let text = Some(m.alloc(Mut::new(String::from("there"))));
        Pair {
            one: text,
            other: m.alloc(text),
        }
    });
    for round in 0..4 {
        heap.collect_young();
        heap.turn(|m, pair| {
            let (one, other) = (pair.one.unwrap(), pair.other.unwrap());
            assert!(Gc::ptr_eq(one, other));
            one.borrow_mut(m).push('!');
            assert_eq!(other.borrow().len(), "there!".len() + round);
        });
    }
    heap.collect();
}

/// Enough for an object with pages of its own; an interpreter takes long enough with fewer.
const MORE: u64 = if cfg!(miri) { 130 } else { 700 };

root!(Counted = Vec<Gc<'gc, [(Leaf<DropCounter>, Gc<'gc, u64>)]>>);

/// An iterator that allocates, runs a turn of another heap, and panics in the middle; the turn goes
/// on after that; each part is dropped once.
#[test]
fn an_iterator_may_allocate_collect_and_panic() {
    let ends = Arc::new(AtomicUsize::new(0));
    let mut one = heap::<Counted>(|_| Vec::new());
    let mut other = heap::<Counted>(|_| Vec::new());
    one.turn(|m, slices| {
        for until in [0_u64, 3, MORE] {
            let values = |panics: bool| {
                let ends = ends.clone();
                (0..until).map(move |n| {
                    assert!(!panics || n + 1 < until, "in the middle");
                    (Leaf(DropCounter(ends.clone())), m.alloc(n))
                })
            };
            let lost = catch_unwind(AssertUnwindSafe(|| m.alloc_iter(values(true))));
            assert_eq!(lost.is_err(), until != 0);
            assert_eq!(
                ends.swap(0, Ordering::Relaxed) as u64,
                until.saturating_sub(1)
            );
            other.turn(|m, _| _ = m.alloc_str("in between"));
            other.collect();
            slices.push(m.alloc_iter(values(false)));
        }
    });
    one.collect_young();
    one.collect();
    one.turn(|_, slices| {
        for slice in &*slices {
            assert!(slice.iter().zip(0..).all(|(value, n)| *value.1 == n));
        }
        slices.clear();
    });
    one.collect_and_sweep();
    assert_eq!(ends.load(Ordering::Relaxed) as u64, 3 + MORE);
}
