//! Detached heaps in steps: how much work a step does, and what other heaps do between two steps.

use super::detached_heap::{DetachedHeap, DetachedStep};
use super::heap::Heap;
use super::pacing::Pacing;
use super::stress::{Chance, Stress, When};
use crate::check::count_verifier::CountVerifier;
use crate::injected_fault::{self, InjectedFault};
use crate::orca::model::{Model, Number};
use crate::orca::model_tests::{Ended, Noted, Thing, Things, lives, number};
use crate::pages::page_source::PageSource;
use crate::programs;
use crate::share::parcel::Parcel;
use crate::sync::Arc;
use crate::types::val::Val;
use crate::{CountAudit, MarkStart};
use std::panic::{AssertUnwindSafe, catch_unwind};

type One = Val<'static, Thing<'static>>;

/// More objects than are collected at once.
const MANY: usize = 20_000;

/// `PIECE`: the work limit of a step in the tests below. `BLOCKS_PER_PAGE`: by how many objects a
/// step may exceed it, because a span is swept as a whole.
const PIECE: usize = 200;
const BLOCKS_PER_PAGE: usize = 512;

/// Maximum size of a thing's block in bytes.
const CELL: usize = 64;

/// So many things are collected and swept at once, if the heap has no others.
const SMALL: usize = 256 * 1024 / 48;

/// A few things.
const CHUNK: usize = 20;

fn times(ended: &Ended, times: u32) -> usize {
    let ended = ended.lock().unwrap();
    ended.iter().filter(|&&it| it == times).count()
}

/// Makes a thing with these components.
fn thing<'gc>(
    m: &crate::Mutator<'gc>,
    ended: &Ended,
    parts: Vec<Val<'gc, Thing<'gc>>>,
) -> Val<'gc, Thing<'gc>> {
    let number = {
        let mut ended = ended.lock().unwrap();
        ended.push(0);
        ended.len() - 1
    };
    let noted = Noted(number, ended.clone());
    m.val(Thing { noted, parts })
}

/// A long list, in pieces of `chunk` things: a parcel and the state both have the container of each
/// piece.
fn library(
    source: &Arc<PageSource>,
    ended: &Ended,
    chunk: usize,
) -> (Heap<Things>, Vec<Parcel<One>>) {
    let mut heap = Heap::<Things>::new(source, Pacing::default(), |_| Vec::new());
    let mut parcels = Vec::new();
    for _ in 0..MANY / chunk {
        parcels.push(heap.turn(|m, state| {
            let whole = (1..chunk).fold(thing(m, ended, Vec::new()), |part, _| {
                thing(m, ended, vec![part])
            });
            state.push(whole);
            m.pack::<One>(whole)
        }));
    }
    (heap, parcels)
}

/// Bytes marked by the mark that runs.
fn bytes_marked(remains: &DetachedStep) -> usize {
    match remains {
        DetachedStep::HasWork(detached) => detached
            .heap
            .marker()
            .map_or(0, |marker| marker.bytes_marked()),
        _ => 0,
    }
}

/// Steps until no work is left. Asserts that each step does little. Returns the number of steps,
/// and the heap that is left.
fn goes_through(detached: DetachedHeap, ended: &Ended) -> (usize, Option<DetachedHeap>) {
    ends_by(PIECE + BLOCKS_PER_PAGE, detached, ended)
}

/// As [`goes_through`], with a limit of `most` destroyed objects in a step.
fn ends_by(most: usize, detached: DetachedHeap, ended: &Ended) -> (usize, Option<DetachedHeap>) {
    let mut remains = DetachedStep::HasWork(detached);
    for steps in 0.. {
        assert!(steps < 10 * MANY, "it does not end");
        let before = (bytes_marked(&remains), times(ended, 1));
        remains = match remains {
            DetachedStep::HasWork(detached) => detached.step(&mut PIECE.clone()),
            DetachedStep::Idle(detached) => return (steps, Some(detached)),
            DetachedStep::Freed => return (steps, None),
        };
        let bytes = bytes_marked(&remains).saturating_sub(before.0);
        assert!(bytes <= PIECE * CELL, "{bytes} bytes are met in a step");
        let died = times(ended, 1) - before.1;
        assert!(died <= most, "{died} objects end in a step");
    }
    unreachable!()
}

#[test]
fn a_large_heap_ends_in_steps() {
    let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
    let (heap, mut parcels) = library(&source, &ended, MANY / 4);
    parcels.truncate(3);
    let detached = heap.end().expect("parcels have it");
    assert_eq!(times(&ended, 1), 0, "slices are scanned in parts");
    let (steps, detached) = goes_through(detached, &ended);
    assert!(steps > MANY / PIECE);
    assert_eq!(times(&ended, 0), MANY / 4 * 3);
    let detached = detached.expect("parcels have it");
    assert!(!detached.has_work());
    drop(parcels);
    let (steps, detached) = goes_through(detached, &ended);
    assert!(detached.is_none() && steps > 10);
    assert_eq!((times(&ended, 1), source.stats().pages), (MANY, 0));
}

#[test]
fn a_large_unshared_heap_ends_in_steps() {
    let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
    let (heap, parcels) = library(&source, &ended, MANY);
    drop(parcels);
    let detached = heap.end().expect("there is much to free");
    let (steps, detached) = goes_through(detached, &ended);
    assert!(detached.is_none() && steps > 10);
    assert_eq!((times(&ended, 1), source.stats().pages), (MANY, 0));
}

/// Few objects live when the dead objects of a mark are swept. A release drained then must not
/// sweep all of them at once.
#[test]
fn exports_released_during_a_sweep_are_freed_in_steps() {
    for left in [0, 1] {
        let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
        let (heap, mut parcels) = library(&source, &ended, CHUNK);
        parcels.truncate(2);
        let mut detached = heap.end().expect("parcels have it");
        while !detached.heap.is_unswept() {
            detached = match detached.step(&mut PIECE.clone()) {
                DetachedStep::HasWork(detached) => detached,
                DetachedStep::Idle(_) | DetachedStep::Freed => panic!("most of it is dead"),
            };
        }
        parcels.truncate(left);
        let (_, detached) = ends_by(SMALL, detached, &ended);
        assert_eq!(detached.is_some(), left != 0);
        assert_eq!(times(&ended, 0), CHUNK * left);
        drop(parcels);
        assert!(detached.and_then(DetachedHeap::drain_all).is_none());
    }
}

/// The same, if the heap itself has marked.
#[test]
fn a_heap_that_ends_during_a_sweep_is_swept_in_steps() {
    for left in [0, 1] {
        let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
        let (mut heap, mut parcels) = library(&source, &ended, CHUNK);
        parcels.truncate(left);
        heap.turn(|_, state| state.clear());
        heap.collect();
        let detached = heap.end().expect("there is much to free");
        assert_eq!(times(&ended, 1), 0, "nothing is swept at once");
        let (_, detached) = ends_by(SMALL, detached, &ended);
        assert_eq!(detached.is_some(), left != 0);
        assert_eq!(times(&ended, 0), CHUNK * left);
        drop(parcels);
        assert!(detached.and_then(DetachedHeap::drain_all).is_none());
    }
}

/// The last reference to a component is released after each number of steps.
#[test]
fn exports_released_between_steps_are_freed() {
    gives_up_between_two_steps();
}

fn gives_up_between_two_steps() {
    for cut in (0..).step_by(7) {
        let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
        let (heap, mut parcels) = library(&source, &ended, MANY / 2);
        let mut detached = heap.end().expect("parcels have it");
        let mut rests = false;
        for _ in 0..cut {
            detached = match detached.step(&mut (10 * PIECE)) {
                DetachedStep::HasWork(detached) => detached,
                DetachedStep::Idle(detached) => {
                    rests = true;
                    detached
                }
                DetachedStep::Freed => panic!("parcels have it"),
            };
        }
        parcels.pop();
        detached = detached.drain_all().expect("a parcel has it");
        assert_eq!((times(&ended, 0), times(&ended, 1)), (MANY / 2, MANY / 2));
        drop(parcels);
        assert!(detached.drain_all().is_none());
        assert_eq!((times(&ended, 1), source.stats().pages), (MANY, 0));
        if rests {
            return;
        }
    }
}

#[test]
fn a_heap_may_end_in_any_step_of_its_mark() {
    for turns in 0.. {
        let (source, ended) = (Arc::new(PageSource::new()), Ended::default());
        let (mut heap, mut parcels) = library(&source, &ended, MANY / 2);
        assert_eq!(heap.begin_mark(), MarkStart::Running);
        for _ in 0..turns {
            let _more = heap.help_mark(MANY / 10);
            heap.pace();
        }
        let was_settled = heap.stats().ended == 1;
        parcels.pop();
        let (_, detached) = goes_through(heap.end().expect("a parcel has it"), &ended);
        assert_eq!((times(&ended, 0), times(&ended, 1)), (MANY / 2, MANY / 2));
        drop(parcels);
        assert!(detached.expect("a parcel has it").drain_all().is_none());
        assert_eq!((times(&ended, 1), source.stats().pages), (MANY, 0));
        if was_settled {
            return;
        }
    }
}

/// The source has no pages left because a large detached heap has them: then that heap is not
/// collected in steps.
#[test]
fn a_heap_short_of_pages_ends_in_one_step() {
    let (source, ended) = (Arc::new(PageSource::bounded(600)), Ended::default());
    let mut heap = Heap::<Things>::new(&source, Pacing::default(), |_| Vec::new());
    while source.stats().pages < 560 {
        heap.turn(|m, state| state.extend((0..20).map(|_| thing(m, &ended, Vec::new()))));
    }
    let parcel = heap.turn(|m, state| m.pack::<One>(state[0]));
    let detached = heap.end().expect("a parcel has it");
    assert!(!detached.has_work() && source.stats().pages < 10);
    assert_eq!(times(&ended, 0), 1);
    drop(parcel);
    assert!(detached.drain_all().is_none());
}

const HEAPS: usize = 3;
const STEPS: usize = if cfg!(miri) { 60 } else { 300 };

/// A random program of heaps that end, are stepped, and have components of each other.
struct Parish {
    source: Arc<PageSource>,
    pacing: Pacing,
    heaps: Vec<Heap<Things>>,
    detached_heaps: Vec<DetachedHeap>,
    parcels: Vec<(Parcel<One>, Number)>,
    /// Of its heaps only the references of the states: the model has no concurrent marks and no
    /// detached heaps.
    model: Model,
    ended: Ended,
    chance: Chance,
}

impl Parish {
    fn new(seed: u64) -> Parish {
        let source = Arc::new(PageSource::new());
        let pacing = Pacing::default().stressed(Stress::new(When::Concurrent, seed));
        let heaps = (0..HEAPS).map(|_| Heap::new(&source, pacing, |_| Vec::new()));
        let mut model = Model::default();
        model.heaps.resize_with(HEAPS, Default::default);
        Parish {
            model,
            heaps: heaps.collect(),
            source,
            pacing,
            detached_heaps: Vec::new(),
            parcels: Vec::new(),
            ended: Ended::default(),
            chance: Chance::new(seed),
        }
    }

    fn below(&self, bound: usize) -> usize {
        self.chance.below(bound as u64) as usize
    }

    fn step(&mut self) {
        let at = self.below(HEAPS);
        match self.below(17) {
            0..3 => self.make(at),
            3..5 => self.pack(at),
            5..7 if !self.parcels.is_empty() => {
                let (parcel, thing) = self.parcels.swap_remove(self.below(self.parcels.len()));
                self.heaps[at].turn(|m, state| state.push(m.unpack(parcel)));
                self.model.heaps[at].state.push(thing);
            }
            7 if !self.parcels.is_empty() => {
                drop(self.parcels.swap_remove(self.below(self.parcels.len())));
            }
            8 => {
                self.heaps[at].turn(|_, state| state.clear());
                self.model.heaps[at].state.clear();
            }
            9 => {
                let heap = Heap::new(&self.source, self.pacing, |_| Vec::new());
                self.detached_heaps
                    .extend(std::mem::replace(&mut self.heaps[at], heap).end());
                self.model.heaps[at].state.clear();
            }
            10 => self.heaps[at].pace(),
            13 => {
                let most = 1 + self.below(4);
                self.heaps[at].drain_some(most);
            }
            11 | 12 => self.take_a_part(at),
            _ if !self.detached_heaps.is_empty() => {
                let detached = self
                    .detached_heaps
                    .swap_remove(self.below(self.detached_heaps.len()));
                match detached.step(&mut (1 + self.below(20))) {
                    DetachedStep::Idle(detached) | DetachedStep::HasWork(detached) => {
                        self.detached_heaps.push(detached)
                    }
                    DetachedStep::Freed => {}
                }
            }
            _ => {}
        }
    }

    fn make(&mut self, at: usize) {
        let (chance, ended, model) = (&self.chance, &self.ended, &mut self.model);
        self.heaps[at].turn(|m, state| {
            let parts = (0..chance.below(4)).filter_map(|_| {
                let place = chance.below(state.len() as u64 + 1) as usize;
                state.get(place).copied()
            });
            let parts: Vec<_> = parts.collect();
            let made = model.make(at, parts.iter().map(|part| number(part)).collect());
            model.heaps[at].state.push(made);
            state.push(thing(m, ended, parts));
        });
    }

    fn pack(&mut self, at: usize) {
        let place = self.below(self.model.heaps[at].state.len() + 1);
        if let Some(&thing) = self.model.heaps[at].state.get(place) {
            let parcel = self.heaps[at].turn(|m, state| m.pack::<One>(state[place]));
            self.parcels.push((parcel, thing));
        }
    }

    /// A component replaces its container.
    fn take_a_part(&mut self, at: usize) {
        let place = self.below(self.model.heaps[at].state.len() + 1);
        let Some(&whole) = self.model.heaps[at].state.get(place) else {
            return;
        };
        let parts = self.model.parts(whole);
        let part = self.below(parts.len() + 1);
        if let Some(&thing) = parts.get(part) {
            self.heaps[at].turn(|_, state| state[place] = Val::as_ref(state[place]).parts[part]);
            self.model.heaps[at].state[place] = thing;
        }
    }

    /// No object is destroyed that a heap or parcel refers to. No inbox is drained.
    fn check(&self) {
        CountAudit::check().unwrap();
        let numbers = self.parcels.iter().map(|(_, thing)| thing);
        lives(&self.model, numbers, &self.ended);
    }

    /// After all inboxes are drained, the counts agree.
    fn audit(&mut self) {
        let mut verifier = CountVerifier::default();
        let heaps = self
            .heaps
            .iter_mut()
            .try_for_each(|heap| verifier.heap(heap));
        let mut detached_heaps = self.detached_heaps.iter_mut();
        let all = heaps
            .and_then(|()| detached_heaps.try_for_each(|detached| verifier.detached(detached)));
        let parcels = self.parcels.iter();
        parcels.for_each(|(parcel, _)| verifier.parcel(parcel));
        all.and_then(|()| verifier.check())
            .unwrap_or_else(|fault| panic!("{fault}"));
    }

    /// All heaps end, and parcels are dropped between steps of detached heaps: each object is
    /// destroyed once.
    fn end(mut self) {
        let heaps = self.heaps.drain(..);
        self.detached_heaps.extend(heaps.filter_map(Heap::end));
        let most = 1_000 * (1 + self.ended.lock().unwrap().len());
        for _ in 0..most {
            if self.detached_heaps.is_empty() {
                break;
            }
            if self.below(8) == 0 {
                drop(self.parcels.pop());
            }
            match self
                .detached_heaps
                .remove(0)
                .step(&mut (1 + self.below(20)))
            {
                DetachedStep::Idle(detached) | DetachedStep::HasWork(detached) => {
                    self.detached_heaps.push(detached)
                }
                DetachedStep::Freed => {}
            }
        }
        assert!(
            self.detached_heaps.is_empty(),
            "what nobody has is not freed"
        );
        assert!(self.ended.lock().unwrap().iter().all(|&times| times == 1));
        assert_eq!(self.source.stats().pages, 0);
    }
}

fn program(seed: u64) {
    let mut parish = Parish::new(seed);
    for _ in 0..STEPS {
        parish.step();
        parish.check();
        if parish.below(16) == 0 {
            parish.audit();
        }
    }
    parish.audit();
    parish.end();
}

#[test]
fn seeded_detached_heaps_end_whatever_happens_between_steps() {
    programs::run(if cfg!(miri) { 2 } else { 20 }, program);
}

#[test]
fn injected_faults_of_detached_heaps_are_caught() {
    let catches = |bug, test: &dyn Fn()| {
        let caught = catch_unwind(AssertUnwindSafe(|| injected_fault::with(bug, test)));
        injected_fault::with(InjectedFault::Nothing, || ());
        CountAudit::discard();
        caught.is_err()
    };
    assert!(catches(
        InjectedFault::DeafDetachedHeap,
        &gives_up_between_two_steps
    ));
    assert!(catches(InjectedFault::ForgottenExport, &|| {
        (0..20).for_each(program);
    }));
}
