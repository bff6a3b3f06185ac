//! Self-tests of the verifier: it must detect each of these broken heaps.

use crate::alloc::header::Header;
use crate::gc::heap::{Core, Heap, Root};
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Stress, When};
use crate::injected_fault::{self, InjectedFault};
use crate::object::gc::Gc;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::state_of;
use crate::pages::page::Page;
use crate::pages::page_source::PageSource;
use crate::sync::{Arc, Ordering};
use crate::types::mutable::Mut;
use std::cell::RefCell;
use std::mem;
use std::ptr::NonNull;

/// Mutable objects, each of which refers to immutable ones.
struct Pairs;

type Pair<'gc> = (Option<Gc<'gc, u64>>, Option<Gc<'gc, (Gc<'gc, u64>,)>>);

impl Root for Pairs {
    type Of<'gc> = Vec<Gc<'gc, Mut<Pair<'gc>>>>;
}

fn pair<'gc>(m: &Mutator<'gc>, number: u64) -> Pair<'gc> {
    (Some(m.alloc(number)), Some(m.alloc((m.alloc(number),))))
}

/// Ten old pairs.
fn pairs() -> Heap<Pairs> {
    let source = Arc::new(PageSource::new());
    let pacing = Pacing {
        nursery: 256,
        ..Pacing::default()
    };
    let mut heap = Heap::new(&source, pacing, |m| {
        let new = |number| m.alloc(Mut::new(pair(m, number)));
        (0..10).map(new).collect()
    });
    heap.collect();
    heap.sweep();
    heap
}

fn write(heap: &mut Heap<Pairs>) {
    heap.turn(|m, state| state[3].set(m, pair(m, 30)));
}

/// Adds a mutable object, which stays young once, with immutable ones that it refers to.
fn add(heap: &mut Heap<Pairs>) {
    heap.turn(|m, state| {
        let new = m.alloc(Mut::new(pair(m, 40)));
        state.push(new);
    });
}

#[track_caller]
fn is_caught(rule: &str, bug: InjectedFault, run: impl FnOnce(&mut Heap<Pairs>)) {
    let mut heap = pairs();
    assert_eq!(heap.verify(), Ok(()));
    injected_fault::with(bug, || run(&mut heap));
    let fault = heap.verify().expect_err("no fault was found");
    assert_eq!(fault.rule, rule, "{fault}");
}

#[test]
fn a_valid_heap_is_verified() {
    let mut heap = pairs();
    for round in 0..6 {
        write(&mut heap);
        assert_eq!(heap.verify(), Ok(()));
        add(&mut heap);
        match round {
            2 => heap.collect(),
            _ => heap.collect_young(),
        }
        assert_eq!(heap.verify(), Ok(()));
    }
}

#[test]
fn injected_faults_are_caught() {
    is_caught("H5", InjectedFault::ForgottenWrite, write);
    is_caught("H5", InjectedFault::RememberedTwice, write);
    // In a cached nursery chunk, and in a returned one.
    is_caught("H3", InjectedFault::StaleSlot, |heap| {
        write(heap);
        heap.collect_young();
    });
    is_caught("H1", InjectedFault::StaleSlot, |heap| {
        write(heap);
        heap.collect_young();
        heap.return_nursery();
    });
    is_caught("H4", InjectedFault::ForgottenChildren, Heap::collect);
    is_caught("H1", InjectedFault::FreedAlive, |heap| {
        heap.collect();
        heap.sweep();
    });
    is_caught("H4", InjectedFault::WrongEpoch, |heap| {
        write(heap);
        heap.collect_young();
    });
}

#[test]
fn premature_spans_are_caught() {
    struct Numbers;
    impl Root for Numbers {
        type Of<'gc> = Vec<Gc<'gc, [u64; 62]>>;
    }
    for bug in [InjectedFault::Nothing, InjectedFault::FullSpansFirst] {
        let pacing = Pacing {
            stress: Some(Stress::new(When::Paced, 0)),
            ..Pacing::default()
        };
        // Full spans, and a span with free blocks.
        let mut heap = Heap::<Numbers>::new(&Arc::new(PageSource::new()), pacing, |m| {
            (0..84).map(|_| m.alloc([1; 62])).collect()
        });
        heap.collect();
        heap.sweep();
        heap.collect();
        heap.turn(|m, state| state.push(m.alloc([1; 62])));
        // Off, because the verifier that runs after each collection would panic.
        heap.parts().0.pacing.stress = None;
        injected_fault::with(bug, || heap.collect_young());
        let found = heap.verify().map_err(|fault| fault.rule);
        match bug {
            InjectedFault::Nothing => assert_eq!(found, Ok(())),
            _ => assert_eq!(found, Err("H4")),
        }
    }
}

#[test]
fn forgotten_watches_are_caught() {
    // Watches of objects that die young, that become old, and that die old.
    for (age, dies) in [(0, true), (0, false), (1, true)] {
        for bug in [InjectedFault::Nothing, InjectedFault::ForgottenWatch] {
            let mut heap = pairs();
            heap.turn(|m, state| {
                let new = m.alloc(Mut::new(pair(m, 50)));
                state.push(new);
            });
            for _ in 0..age {
                heap.collect();
            }
            heap.turn(|m, state| {
                m.watch_death(state[10], 1);
                state.truncate(if dies { 10 } else { 11 });
            });
            assert_eq!(heap.verify(), Ok(()));
            injected_fault::with(bug, || heap.collect());
            match bug {
                InjectedFault::Nothing => assert_eq!(heap.verify(), Ok(())),
                _ => assert_eq!(heap.verify().expect_err("no fault was found").rule, "H10"),
            }
        }
    }
}

/// An old object that refers to an object that stays young once.
struct Towers;

impl Root for Towers {
    type Of<'gc> = Option<Gc<'gc, (Gc<'gc, Mut<u64>>,)>>;
}

#[test]
fn a_young_object_below_a_forgotten_old_one_is_caught() {
    for bug in [InjectedFault::Nothing, InjectedFault::ForgottenOld] {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Towers>::new(&source, Pacing::default(), |m| {
            Some(m.alloc((m.alloc(Mut::new(7)),)))
        });
        injected_fault::with(bug, || heap.collect_young());
        let rule = heap.verify().err().map(|fault| fault.rule);
        let expected = (bug == InjectedFault::ForgottenOld).then_some("H5");
        assert_eq!(rule, expected);
    }
}

thread_local! {
    /// The owner of no heap.
    static OTHER: RefCell<Arc<HeapHandle>> = RefCell::new(HeapHandle::new(0, Default::default()));
}

/// A change that, applied twice, has no effect.
type CountDelta = fn(&mut Core, NonNull<Header>);

#[test]
fn wrong_descriptions_and_counts_are_caught() {
    let changes: [(&str, CountDelta); 14] = [
        ("H7", |core, _| core.old.bytes_allocated ^= 16),
        ("H7", |core, _| core.old.bytes_dead ^= 16),
        ("H12", |core, _| core.old.pages ^= 1),
        ("H8", |core, _| core.old.unswept ^= 1),
        ("H4", |core, _| {
            OTHER.with_borrow_mut(|other| mem::swap(&mut core.owner, other))
        }),
        ("H4", |_, object| {
            // SAFETY: an old object of this heap.
            unsafe { state_of(object.cast()) }.fetch_xor(3, Ordering::Relaxed);
        }),
        ("H4", |_, object| page(object).used ^= 1),
        ("H4", |_, object| page(object).occupied[1] ^= 1),
        ("H10", |_, object| page(object).drops[3] ^= 1),
        ("H10", |_, object| page(object).drops[0] ^= 1),
        ("H4", |_, object| page(object).class ^= 7),
        ("H5", |core, object| {
            let remembered = core.remembered.get_mut();
            match remembered.pop() {
                Some(_) => {}
                None => remembered.push(object),
            }
        }),
        ("H10", |core, _| {
            let deaths = core.deaths.get_mut();
            match deaths.found.pop_first() {
                Some(_) => {}
                None => drop(deaths.found.insert(0, 1)),
            }
        }),
        ("H3", |_, object| {
            let word = object.cast::<*const ()>();
            // SAFETY: an old object of this heap; a header is one word.
            unsafe { word.write(word.read().map_addr(|address| address ^ 1)) };
        }),
    ];
    let mut heap = pairs();
    heap.turn(|m, state| m.watch_death(state[1], 1));
    for (number, (rule, change)) in changes.into_iter().enumerate() {
        let object = heap.turn(|_, state| state[0].header());
        change(heap.parts().0, object);
        let fault = heap.verify().expect_err("no fault was found");
        assert_eq!(fault.rule, rule, "{number}: {fault}");
        change(heap.parts().0, object);
        assert_eq!(heap.verify(), Ok(()), "{number}");
    }
}

fn page<'a>(object: NonNull<Header>) -> &'a mut Page {
    // SAFETY: an old object; no other reference to its description exists meanwhile.
    unsafe { crate::alloc::old::span_of(object).page() }
}
