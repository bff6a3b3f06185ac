//! Random programs of sharing, compared with the model: the same counts after each step, no
//! reachable object freed, no object left at the end.
//!
//! Deltas stay in their inboxes until a heap collects, or all counts are compared, which few steps
//! do: so a delta may be applied as late as possible.

use super::count_audit::CountAudit;
use super::model::{Model, Number};
use crate::alloc::header::Header;
use crate::check::count_verifier::CountVerifier;
use crate::gc::heap::{Heap, Root};
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Chance, Stress, When};
use crate::injected_fault::InjectedFault;
use crate::object::erased::Erased;
use crate::object::frozen::FrozenParts;
use crate::object::object_trait::Object;
use crate::object::sendable::Sendable;
use crate::pages::page_source::PageSource;
use crate::programs;
use crate::share::parcel::Parcel;
use crate::sync::{Arc, Mutex};
use crate::types::val::Val;
use std::collections::BTreeMap;
use std::mem;
use std::ptr::NonNull;

/// How often each thing was destroyed.
pub(crate) type Ended = Arc<Mutex<Vec<u32>>>;

pub(crate) struct Noted(pub(crate) Number, pub(crate) Ended);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap()[self.0] += 1;
    }
}

/// A thing with components. Implemented by hand: the derive names this crate from outside.
pub(crate) struct Thing<'gc> {
    pub(crate) noted: Noted,
    pub(crate) parts: Vec<Val<'gc, Thing<'gc>>>,
}

// SAFETY: the parts have all its references.
unsafe impl<'gc> Object<'gc> for Thing<'gc> {
    type Static = Thing<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.parts.trace(tracer);
    }
    fn evacuate(&mut self, _: &mut crate::Evacuator<'_>) {}
}

// SAFETY: it has shared components, and plain fields that are `Sync`.
unsafe impl<'gc> FrozenParts<'gc> for Thing<'gc> {}
// SAFETY: it has shared components, and plain fields that are `Sync`.
unsafe impl<'gc> Sendable<'gc> for Thing<'gc> {}

pub(crate) struct Things;

impl Root for Things {
    type Of<'gc> = Vec<Val<'gc, Thing<'gc>>>;
}

/// A message of two things.
type Two = (
    Val<'static, Thing<'static>>,
    Option<Val<'static, Thing<'static>>>,
);

// SAFETY: the same type with another brand.
unsafe impl Erased for Thing<'_> {
    type Of<'gc> = Thing<'gc>;
    type Static = Thing<'static>;
}

const HEAPS: usize = 3;
const STEPS: usize = if cfg!(miri) { 40 } else { 400 };

/// The order of the heaps in memory; each begins with a chunk of its own.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    InOrder,
    Reversed,
}

/// The heaps and the model.
pub(crate) struct Both {
    source: Arc<PageSource>,
    heaps: Vec<Heap<Things>>,
    model: Model,
    parcels: Vec<(Parcel<Two>, [Option<Number>; 2])>,
    ended: Ended,
    chance: Chance,
}

pub(crate) fn number(thing: &Thing<'_>) -> Number {
    thing.noted.0
}

impl Both {
    pub(crate) fn new(seed: u64, layout: Layout) -> Both {
        let source = Arc::new(PageSource::new());
        let pacing = Pacing {
            stress: Some(Stress::new(When::Paced, seed)),
            ..Pacing::default()
        };
        let heap = |_| {
            let mut heap = Heap::new(&source, pacing, |_| Vec::new());
            // An unreferenced shared object: it fixes the place of the heap's pages.
            heap.turn(|m, _| {
                let _forgotten = m.val_str("a place");
            });
            heap
        };
        let mut model = Model::default();
        model.heaps.resize_with(HEAPS, Default::default);
        let mut heaps: Vec<_> = (0..HEAPS).map(heap).collect();
        if let Layout::Reversed = layout {
            heaps.reverse();
        }
        Both {
            heaps,
            source,
            model,
            parcels: Vec::new(),
            ended: Ended::default(),
            chance: Chance::new(seed),
        }
    }

    fn below(&self, bound: usize) -> usize {
        self.chance.below(bound as u64) as usize
    }

    /// A random step of a random heap.
    pub(crate) fn step(&mut self) {
        let heap = self.below(HEAPS);
        match self.below(12) {
            0..3 => self.make(heap),
            3..5 => self.pack(heap),
            5..7 if !self.parcels.is_empty() => self.unpack(heap),
            7 if !self.parcels.is_empty() => self.return_parcel(),
            8 => self.take_a_part(heap),
            9 => self.forget(heap),
            10 => self.collect(heap),
            _ => self.collect_young(heap),
        }
    }

    fn make(&mut self, heap: usize) {
        let ended = self.ended.clone();
        ended.lock().unwrap().push(0);
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|m, state| {
            let parts: Vec<_> = match state.len() {
                0 => Vec::new(),
                length => (0..chance.below(4))
                    .map(|_| state[chance.below(length as u64) as usize])
                    .collect(),
            };
            let thing = model.make(heap, parts.iter().map(|part| number(part)).collect());
            model.heaps[heap].state.push(thing);
            let noted = Noted(thing, ended);
            state.push(m.val(Thing { noted, parts }));
        });
    }

    fn pack(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        let parcel = self.heaps[heap].turn(|m, state| {
            let pick = || {
                state
                    .get(chance.below(state.len() as u64 + 1) as usize)
                    .copied()
            };
            let (one, other) = (pick()?, pick());
            let numbers = [Some(number(&one)), other.map(|other| number(&other))];
            numbers
                .iter()
                .flatten()
                .for_each(|thing| model.pack(heap, *thing));
            Some((m.pack::<Two>((one, other)), numbers))
        });
        self.parcels.extend(parcel);
    }

    fn unpack(&mut self, heap: usize) {
        let (parcel, numbers) = self.parcels.swap_remove(self.below(self.parcels.len()));
        self.heaps[heap].turn(|m, state| {
            let (one, other) = m.unpack(parcel);
            state.extend([Some(one), other].into_iter().flatten());
        });
        for thing in numbers.into_iter().flatten() {
            self.model.unpack(heap, thing);
            self.model.heaps[heap].state.push(thing);
        }
    }

    fn return_parcel(&mut self) {
        let (parcel, numbers) = self.parcels.swap_remove(self.below(self.parcels.len()));
        drop(parcel);
        numbers
            .into_iter()
            .flatten()
            .for_each(|thing| self.model.returned(thing));
    }

    /// A component replaces its container.
    fn take_a_part(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|_, state| {
            let place = chance.below(state.len() as u64 + 1) as usize;
            let Some(whole) = state.get(place) else {
                return;
            };
            let parts = &Val::as_ref(*whole).parts;
            let at = chance.below(parts.len() as u64 + 1) as usize;
            if let Some(part) = parts.get(at) {
                let expected = model.parts(number(whole))[at];
                assert_eq!(number(part), expected);
                state[place] = *part;
                model.heaps[heap].state[place] = expected;
            }
        });
    }

    fn forget(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|_, state| {
            let most = state.len() as u64;
            for _ in 0..chance.below(most / 2 + 1) {
                let place = chance.below(state.len() as u64) as usize;
                state.swap_remove(place);
                model.heaps[heap].state.swap_remove(place);
            }
        });
    }

    fn collect(&mut self, heap: usize) {
        self.heaps[heap].collect();
        self.model.mark(heap);
        if self.below(2) == 0 {
            self.heaps[heap].sweep();
        }
    }

    fn collect_young(&mut self, heap: usize) {
        self.heaps[heap].drain_all();
        self.heaps[heap].collect_young();
        self.model.drain_all(heap);
    }

    /// The counts equal those of the model, and no referenced object is destroyed. No inbox is
    /// drained.
    fn compare(&mut self) {
        CountAudit::check().unwrap();
        for heap in 0..HEAPS {
            let sharing = self.heaps[heap].parts().0.sharing.get_mut();
            let expected = &self.model.heaps[heap];
            assert_eq!(
                counts(sharing.exports.iter().map(|it| (it.object, it.count))),
                expected.exports,
                "exports of {heap}"
            );
            assert_eq!(
                counts(sharing.imports.iter()),
                expected.imports,
                "imports of {heap}"
            );
        }
        let numbers = self.parcels.iter().flat_map(|(_, numbers)| numbers);
        lives(&self.model, numbers.flatten(), &self.ended);
    }

    /// After all inboxes are drained, the counts agree with one another.
    fn audit(&mut self) {
        let mut verifier = CountVerifier::default();
        for heap in 0..HEAPS {
            self.model.drain_all(heap);
            let taken = verifier.heap(&mut self.heaps[heap]);
            taken.unwrap_or_else(|fault| panic!("{fault}"));
        }
        let parcels = self.parcels.iter();
        parcels.for_each(|(parcel, _)| verifier.parcel(parcel));
        verifier.check().unwrap_or_else(|fault| panic!("{fault}"));
    }

    /// All references are dropped. After as many collections of all heaps as a chain of containers
    /// is long, each object was destroyed once.
    pub(crate) fn end(mut self) {
        self.parcels.clear();
        self.heaps
            .iter_mut()
            .for_each(|heap| heap.turn(|_, state| state.clear()));
        let most = self.ended.lock().unwrap().len();
        for _ in 0..=most {
            for heap in &mut self.heaps {
                heap.collect();
                heap.sweep();
            }
            if self.heaps.iter().all(|heap| heap.stats().live == 0) {
                break;
            }
        }
        assert!(self.ended.lock().unwrap().iter().all(|&times| times == 1));
        drop(mem::take(&mut self.heaps));
        assert_eq!(self.source.stats().pages, 0);
    }
}

/// No object is destroyed that is reachable from a state or a parcel.
pub(crate) fn lives<'n>(model: &Model, parcels: impl Iterator<Item = &'n Number>, ended: &Ended) {
    let ended = ended.lock().unwrap();
    for thing in model.reached(parcels.copied()) {
        assert_eq!(ended[thing], 0, "{thing} has ended, and somebody has it");
    }
}

/// Counts by the things' numbers.
fn counts(counts: impl Iterator<Item = (NonNull<Header>, i64)>) -> BTreeMap<Number, i64> {
    let mut sums = BTreeMap::new();
    for (object, count) in counts {
        // SAFETY: all shared objects here are things; the counting heap keeps them, and no turn
        // runs.
        let thing = unsafe { object.add(1).cast::<Thing<'_>>().as_ref() };
        *sums.entry(number(thing)).or_default() += count;
    }
    sums
}

fn program(seed: u64) {
    let mut both = Both::new(seed, Layout::InOrder);
    for _ in 0..STEPS {
        both.step();
        both.compare();
        if both.below(16) == 0 {
            both.audit();
        }
    }
    both.audit();
    both.end();
}

#[test]
fn seeded_sharing_matches_the_model() {
    programs::run(40, program);
}

/// Each of these faults is detected in one of the first programs.
#[test]
fn injected_faults_of_counts_are_caught() {
    let faults = [
        InjectedFault::SkippedInc,
        InjectedFault::ForgottenReceipt,
        InjectedFault::ForgottenExport,
        InjectedFault::ForgottenImportMark,
    ];
    programs::catch(&faults, program);
}
