//! Random programs that tag, beside the model: no object with a tag was dropped, equal tags name
//! the same object, each heap opens its own tags, and nothing is left at the end.

use super::model::{Model, Number};
use super::tag::Tag;
use crate::check::count_verifier::CountVerifier;
use crate::gc::heap::{Heap, Root};
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Chance, Stress, When};
use crate::injected_fault::InjectedFault;
use crate::object::erased::Erased;
use crate::object::frozen::FrozenParts;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::pages::page_source::PageSource;
use crate::programs;
use crate::share::parcel::Parcel;
use crate::sync::{Arc, Mutex};
use crate::types::mutable::Mut;
use crate::types::val::Val;
use std::mem;

/// How often each object was dropped.
type Ended = Arc<Mutex<Vec<u32>>>;

struct Noted(Number, Ended);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap()[self.0] += 1;
    }
}

/// A private object. Implemented by hand: the derive names this crate from outside.
struct Thing<'gc> {
    noted: Noted,
    parts: Vec<Own<'gc>>,
    tags: Vec<Tag<'gc, Mut<Thing<'gc>>>>,
}

type Own<'gc> = Gc<'gc, Mut<Thing<'gc>>>;
type Name<'gc> = Tag<'gc, Mut<Thing<'gc>>>;

// SAFETY: parts and tags have all its references.
unsafe impl<'gc> Object<'gc> for Thing<'gc> {
    type Static = Thing<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.parts.trace(tracer);
        self.tags.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.parts.evacuate(evacuator);
        self.tags.evacuate(evacuator);
    }
}

// SAFETY: its brand is replaced.
unsafe impl Erased for Thing<'_> {
    type Of<'gc> = Thing<'gc>;
    type Static = Thing<'static>;
}

struct Things;

impl Root for Things {
    /// Objects, and tags.
    type Of<'gc> = (Vec<Own<'gc>>, Vec<Name<'gc>>);
}

/// A tag by itself, and a tag in a shared object.
type Two = (Name<'static>, Val<'static, (Name<'static>,)>);

/// By seed: marks when a program says so; or concurrent marks all the time, with a termination step
/// of a few entries after each turn.
const WHENS: [When; 2] = [When::Paced, When::Concurrent];

const HEAPS: usize = 3;
const STEPS: usize = if cfg!(miri) { 60 } else { 400 };

/// The heaps, and the model beside them.
struct Both {
    source: Arc<PageSource>,
    heaps: Vec<Heap<Things>>,
    model: Model,
    parcels: Vec<(Parcel<Two>, [Number; 2])>,
    ended: Ended,
    chance: Chance,
    when: When,
}

fn number(thing: Own<'_>) -> Number {
    thing.borrow().noted.0
}

/// Picks one of these at random, with its index.
fn pick<T: Copy>(chance: &Chance, from: &[T]) -> Option<(usize, T)> {
    let place = chance.below(from.len().max(1) as u64) as usize;
    from.get(place).map(|&one| (place, one))
}

impl Both {
    fn new(seed: u64) -> Both {
        let (source, when) = (Arc::new(PageSource::new()), WHENS[seed as usize % 2]);
        let pacing = Pacing {
            stress: Some(Stress::new(when, seed)),
            ..Pacing::default()
        };
        let heap = |_| Heap::new(&source, pacing, |_| (Vec::new(), Vec::new()));
        let mut model = Model::default();
        model.heaps.resize_with(HEAPS, Default::default);
        Both {
            heaps: (0..HEAPS).map(heap).collect(),
            source,
            model,
            parcels: Vec::new(),
            ended: Ended::default(),
            chance: Chance::new(seed),
            when,
        }
    }

    fn step(&mut self) {
        let heap = self.chance.below(HEAPS as u64) as usize;
        if self.when == When::Concurrent {
            self.heaps[heap].pace();
        }
        match self.chance.below(18) {
            0..3 => self.make(heap),
            3..5 => self.tag(heap),
            5..7 => self.pack(heap),
            7..10 => self.unpack(heap),
            10 => self.return_parcel(),
            11 => self.open(heap),
            12 => self.link(heap),
            13..16 => self.forget(heap),
            16 => self.collect(heap),
            _ => self.heaps[heap].collect_young(),
        }
    }

    /// Allocates an object with a random part and a random tag.
    fn make(&mut self, heap: usize) {
        let ended = self.ended.clone();
        ended.lock().unwrap().push(0);
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|m, (objects, names)| {
            let part = pick(chance, objects).filter(|_| chance.below(2) == 0);
            let name = pick(chance, names).filter(|_| chance.below(2) == 0);
            let named = name.map(|(place, _)| model.heaps[heap].tags[place]);
            let parts = part.map(|(_, part)| number(part));
            let thing = model.make(
                heap,
                parts.into_iter().collect(),
                named.into_iter().collect(),
            );
            model.heaps[heap].objects.push(thing);
            objects.push(m.alloc(Mut::new(Thing {
                noted: Noted(thing, ended),
                parts: part.into_iter().map(|(_, part)| part).collect(),
                tags: name.into_iter().map(|(_, name)| name).collect(),
            })));
        });
    }

    fn tag(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|m, (objects, names)| {
            if let Some((_, object)) = pick(chance, objects) {
                names.push(m.tag(object));
                model.heaps[heap].tags.push(number(object));
            }
        });
    }

    fn pack(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &self.model);
        let parcel = self.heaps[heap].turn(|m, (_, names)| {
            let (one, other) = (pick(chance, names)?, pick(chance, names)?);
            let numbers = [one, other].map(|(place, _)| model.heaps[heap].tags[place]);
            Some((m.pack::<Two>((one.1, m.val((other.1,)))), numbers))
        });
        self.parcels.extend(parcel);
    }

    fn take_parcel(&mut self) -> Option<(Parcel<Two>, [Number; 2])> {
        let place = self.chance.below(self.parcels.len().max(1) as u64) as usize;
        (place < self.parcels.len()).then(|| self.parcels.swap_remove(place))
    }

    fn unpack(&mut self, heap: usize) {
        if let Some((parcel, numbers)) = self.take_parcel() {
            self.model.heaps[heap].tags.extend(numbers);
            self.heaps[heap].turn(|m, (_, names)| {
                let (one, other) = m.unpack(parcel);
                names.extend([one, other.0]);
            });
        }
    }

    fn return_parcel(&mut self) {
        drop(self.take_parcel());
    }

    fn open(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|m, (objects, names)| {
            let Some((place, name)) = pick(chance, names) else {
                return;
            };
            let expected = model.heaps[heap].tags[place];
            let opened = name.open(m);
            assert_eq!(opened.is_ok(), model.open(heap, expected));
            assert_eq!(opened.is_ok(), name.is_mine(m));
            if let Ok(object) = opened {
                assert_eq!(number(object), expected);
                assert_eq!(m.tag(object), name);
                objects.push(object);
            }
        });
    }

    /// An object that may be old gets a part that may be young.
    fn link(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|m, (objects, _)| {
            if let (Some((_, one)), Some((_, other))) =
                (pick(chance, objects), pick(chance, objects))
                && model.names_nothing(number(other))
            {
                one.borrow_mut(m).parts = vec![other];
                model.things[number(one)].parts = vec![number(other)];
            }
        });
    }

    fn forget(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model.heaps[heap]);
        self.heaps[heap].turn(|_, (objects, names)| {
            let keeps = |length: usize| chance.below(length as u64 + 1) as usize;
            let (objects_left, names_left) = (keeps(objects.len()), keeps(names.len()));
            objects.truncate(objects_left);
            model.objects.truncate(objects_left);
            names.truncate(names_left);
            model.tags.truncate(names_left);
        });
    }

    fn collect(&mut self, heap: usize) {
        self.heaps[heap].collect();
        if self.chance.below(2) == 0 {
            self.heaps[heap].sweep();
        }
    }

    /// Tags are equal if their objects are, all counts agree, and no object was dropped that is
    /// referenced or tagged.
    fn compare(&mut self) {
        let mut verifier = CountVerifier::default();
        for (heap, expected) in self.heaps.iter_mut().zip(&self.model.heaps) {
            heap.turn(|_, (_, names)| {
                for (name, thing) in names.iter().zip(&expected.tags) {
                    for (other, another) in names.iter().zip(&expected.tags) {
                        assert_eq!(name == other, thing == another);
                        assert_eq!(name.id() == other.id(), thing == another);
                    }
                }
            });
            verifier
                .heap(heap)
                .unwrap_or_else(|fault| panic!("{fault}"));
        }
        self.parcels
            .iter()
            .for_each(|(parcel, _)| verifier.parcel(parcel));
        verifier.check().unwrap_or_else(|fault| panic!("{fault}"));
        let messages = self.parcels.iter().flat_map(|(_, numbers)| *numbers);
        let ended = self.ended.lock().unwrap();
        for thing in self.model.reached(messages) {
            assert_eq!(ended[thing], 0, "{thing} has ended, and somebody has it");
        }
    }

    /// Drops everything: every object is dropped once.
    fn end(mut self) {
        self.parcels.clear();
        for heap in &mut self.heaps {
            heap.turn(|_, state| *state = (Vec::new(), Vec::new()));
        }
        let most = self.ended.lock().unwrap().len();
        for _ in 0..=most + 1 {
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

fn program(seed: u64) {
    let mut both = Both::new(seed);
    for _ in 0..STEPS {
        both.step();
        both.compare();
    }
    both.end();
}

#[test]
fn seeded_tags_match_the_model() {
    programs::run(10, program);
}

/// Each fault is detected by one of the first programs.
#[test]
fn injected_faults_of_tags_are_caught() {
    let faults = [
        InjectedFault::TagEntryNotRemembered,
        InjectedFault::TagTableStrong,
        InjectedFault::TagTableStale,
        InjectedFault::TagNotFollowed,
        InjectedFault::ForgottenExport,
        InjectedFault::ForgottenReceipt,
    ];
    programs::catch(&faults, program);
}

/// Claims to be frozen, and refers to a private object.
struct Liar<'gc>(Gc<'gc, u64>);

// SAFETY: it has one reference.
unsafe impl<'gc> Object<'gc> for Liar<'gc> {
    type Static = Liar<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.0.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.0.evacuate(evacuator);
    }
}

// SAFETY: the contract is violated on purpose; the value is never read.
unsafe impl<'gc> FrozenParts<'gc> for Liar<'gc> {}
// SAFETY: the contract is violated on purpose; the value is never read by another thread.
unsafe impl Sync for Liar<'static> {}
// SAFETY: its brand is replaced.
unsafe impl Erased for Liar<'_> {
    type Of<'gc> = Liar<'gc>;
    type Static = Liar<'static>;
}

struct Lies;

impl Root for Lies {
    type Of<'gc> = (Gc<'gc, u64>, Option<Val<'gc, Liar<'gc>>>);
}

#[test]
fn a_shared_object_that_refers_to_a_private_one_is_caught() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Lies>::new(&source, Pacing::default(), |m| (m.alloc(1), None));
    assert_eq!(heap.verify(), Ok(()));
    // The private object is young, and shared objects are not remembered. An old one is as good as
    // frozen until it is written.
    heap.turn(|m, (own, lie)| *lie = Some(m.val(Liar(*own))));
    assert_eq!(heap.verify().unwrap_err().rule, "H5");
    // A tag entry is exempt.
    heap.turn(|m, (own, lie)| {
        *lie = None;
        let _tag = m.tag(*own);
    });
    assert_eq!(heap.verify(), Ok(()));
}
