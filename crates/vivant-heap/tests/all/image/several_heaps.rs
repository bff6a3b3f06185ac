//! Random programs of heaps that share objects: all heaps are saved and restored together, with
//! what is in transit between them.

use crate::heaps::{Collect, verified};
use crate::seeds;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;
use vivant_codec::{Comparison, Encoder, LoadError, Saved, Shapes, from_bytes, to_bytes};
use vivant_heap::{
    CountVerifier, DetachedHeap, Gc, Heap, HeapNumbers, HeapSpans, Mut, NamedHeaps, Object,
    ObjectCodecs, Pacing, PageSource, Parcel, RestoredHeaps, SpanRecord, Val,
};

/// Each has a number of its own.
#[derive(Object, Saved)]
struct Note<'gc> {
    number: u64,
    text: Val<'gc, str>,
    refers_to: (Option<Val<'gc, Note<'gc>>>, Option<Val<'gc, Note<'gc>>>),
}

type AnyNote = Val<'static, Note<'static>>;

/// Notes in the state, and notes that objects refer to.
type Desk<'gc> = (
    Vec<Val<'gc, Note<'gc>>>,
    Vec<Gc<'gc, Mut<Option<Val<'gc, Note<'gc>>>>>>,
);

root!(Desks = Desk<'gc>);

struct World {
    source: Arc<PageSource>,
    heaps: Vec<Heap<Desks>>,
    detached: Vec<DetachedHeap>,
    parcels: Vec<Parcel<AnyNote>>,
    notes: u64,
}

/// A heap: its number, its state and its spans.
type SavedDesk = (u64, Option<Vec<u8>>, Vec<SpanRecord>);

/// All heaps, as files would have them, and what is in transit.
struct SavedWorld {
    heaps: Vec<SavedDesk>,
    parcels: Vec<Vec<u8>>,
    named: Vec<u64>,
}

/// What is reached from all heaps and parcels: the note of each number, by its text and what it
/// refers to, and the numbers that each heap and each parcel has.
#[derive(Default, PartialEq, Debug)]
struct Reached {
    notes: BTreeMap<u64, (String, Option<u64>, Option<u64>)>,
    roots: Vec<Vec<Option<u64>>>,
}

/// Fills a `Reached`, and checks that each note is one object.
#[derive(Default)]
struct Walk {
    reached: Reached,
    addresses: BTreeMap<u64, usize>,
}

impl Walk {
    fn roots<'gc>(&mut self, roots: impl Iterator<Item = Option<Val<'gc, Note<'gc>>>>) {
        let roots: Vec<_> = roots.collect();
        let numbers = roots.iter().map(|root| root.map(|note| note.number));
        self.reached.roots.push(numbers.collect());
        let mut open: Vec<_> = roots.into_iter().flatten().collect();
        while let Some(note) = open.pop() {
            let address = std::ptr::from_ref(&*note).addr();
            if let Some(before) = self.addresses.insert(note.number, address) {
                assert_eq!(before, address, "two objects for the note {}", note.number);
                continue;
            }
            let (one, other) = note.refers_to;
            let number = |note: Option<Val<'gc, Note<'gc>>>| note.map(|note| note.number);
            let what = (note.text.to_string(), number(one), number(other));
            self.reached.notes.insert(note.number, what);
            open.extend(one.into_iter().chain(other));
        }
    }
}

impl World {
    fn new(heaps: usize, pacing: Pacing) -> World {
        let source = Arc::new(PageSource::new());
        let heaps = (0..heaps).map(|_| Heap::new(&source, pacing, |_| Desk::default()));
        World {
            heaps: heaps.collect(),
            source,
            detached: Vec::new(),
            parcels: Vec::new(),
            notes: 0,
        }
    }

    fn reached(&mut self) -> Reached {
        let mut walk = Walk::default();
        for heap in &mut self.heaps {
            heap.turn(|_, (notes, cells)| {
                walk.roots(notes.iter().copied().map(Some));
                walk.roots(cells.iter().map(|cell| *cell.borrow()));
            });
        }
        for parcel in &self.parcels {
            parcel.look(|note| walk.roots([Some(*note)].into_iter()));
        }
        walk.reached
    }

    fn balanced(&mut self) {
        let mut verifier = CountVerifier::default();
        for heap in &mut self.heaps {
            verifier.heap(heap).unwrap();
        }
        for heap in &mut self.detached {
            verifier.detached(heap).unwrap();
        }
        self.parcels
            .iter()
            .for_each(|parcel| verifier.parcel(parcel));
        verifier.check().unwrap();
    }

    fn step(&mut self, random: &mut Rng) {
        let at = random.usize(..self.heaps.len());
        let heap = &mut self.heaps[at];
        match random.u8(..12) {
            0..4 => {
                self.notes += 1;
                let number = self.notes;
                heap.turn(|m, (notes, _)| {
                    let some = |random: &mut Rng| random.choice(notes.iter().copied());
                    let refers_to = (some(random), some(random));
                    let text = m.val_str(&format!("note {number}"));
                    notes.push(m.val(Note {
                        number,
                        text,
                        refers_to,
                    }));
                });
            }
            4 | 5 => {
                let packed = heap.turn(|m, (notes, _)| {
                    let note = random.choice(notes.iter().copied())?;
                    // A note that is reached through another one is sent as well.
                    let below = note.refers_to.0.filter(|_| random.bool());
                    Some(m.pack::<AnyNote>(below.unwrap_or(note)))
                });
                self.parcels.extend(packed);
            }
            6 | 7 if !self.parcels.is_empty() => {
                let parcel = self.parcels.swap_remove(random.usize(..self.parcels.len()));
                heap.turn(|m, (notes, cells)| match random.bool() {
                    true => notes.push(m.unpack(parcel)),
                    false => cells.push(m.alloc(Mut::new(Some(m.unpack(parcel))))),
                });
            }
            8 => heap.turn(|m, (notes, cells)| {
                notes.retain(|_| random.bool());
                if let Some(cell) = random.choice(cells.iter()) {
                    cell.set(m, random.choice(notes.iter().copied()));
                }
            }),
            9 if random.bool() && !self.parcels.is_empty() => {
                drop(self.parcels.swap_remove(random.usize(..self.parcels.len())));
            }
            10 => heap.collect_and_sweep(),
            11 if random.u8(..4) == 0 && self.heaps.len() > 1 => {
                let heap = self.heaps.swap_remove(at);
                self.detached.extend(heap.end());
            }
            _ => {}
        }
        if random.bool() {
            let detached = self.detached.drain(..);
            self.detached = detached.filter_map(DetachedHeap::drain_all).collect();
        }
    }

    fn save(&mut self) -> SavedWorld {
        let (named, codecs) = (NamedHeaps::new(&self.source), codecs());
        let contexts: [&dyn std::any::Any; 1] = [&named];
        let encoder = || Encoder::new().with_contexts(&contexts);
        let mut heaps = Vec::new();
        for heap in &mut self.heaps {
            let own = heap.saved_heap();
            let mut spans = Vec::new();
            let state = |state: &Desk<'_>| {
                let mut out = encoder();
                out.in_context(&own, |out| state.save(out));
                out.finish().expect("the state is saved")
            };
            let state = heap.save(&codecs, &encoder(), state, &mut |span| spans.push(span));
            heaps.push((heap.number(), Some(state.expect("all is saved")), spans));
        }
        for heap in &mut self.detached {
            let mut spans = Vec::new();
            let saved = heap.save(&codecs, &encoder(), &mut |span| spans.push(span));
            saved.expect("all is saved");
            heaps.push((heap.number(), None, spans));
        }
        let parcels = self.parcels.iter().map(|parcel| {
            let mut out = encoder();
            parcel.save(&mut out);
            out.finish().expect("a parcel is saved")
        });
        SavedWorld {
            parcels: parcels.collect(),
            heaps,
            named: named.take().into_iter().collect(),
        }
    }

    fn end(self) {
        let World {
            source,
            heaps,
            mut detached,
            parcels,
            ..
        } = self;
        drop(parcels);
        detached.extend(heaps.into_iter().filter_map(Heap::end));
        while !detached.is_empty() {
            let before = detached.len();
            let left = detached.into_iter().filter_map(DetachedHeap::drain_all);
            detached = left.collect();
            assert!(detached.len() < before, "notes have no cycles");
        }
        assert_eq!(source.stats().pages, 0);
    }
}

fn codecs() -> ObjectCodecs {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<Desk<'static> as Saved<'static>>::SHAPE);
    codecs
}

impl SavedWorld {
    fn restored(&self, pacing: Pacing, numbers: HeapNumbers) -> Result<World, LoadError> {
        let source = Arc::new(PageSource::new());
        let mut shapes = Shapes::default();
        let desk = shapes.add(<Desk<'static> as Saved<'static>>::SHAPE);
        let desk = desk.expect("few shapes");
        let parcel = shapes.add(<Parcel<AnyNote> as Saved<'static>>::SHAPE);
        let parcel = parcel.expect("few shapes");
        let objects = codecs();
        let objects = objects.shapes().map(|it| shapes.add(it).expect("few"));
        let objects: Vec<_> = objects.collect();
        let comparison = Comparison::new(&shapes);
        let heaps = self.heaps.iter().map(|(number, _, spans)| HeapSpans {
            number: *number,
            pacing,
            spans: spans.clone(),
            watches: Vec::new(),
        });
        let last = self.heaps.iter().map(|heap| heap.0).max().unwrap_or(0);
        source.number_heaps_from(last + 1);
        let heaps = RestoredHeaps::new(&source, (&comparison, &objects), numbers, heaps)?;
        let mut states = Vec::new();
        for (number, state, _) in &self.heaps {
            let Some(state) = state else { continue };
            states.push(heaps.state::<Desks>(*number, &[], |decoder| {
                let mut input = decoder.of(state);
                let state = input.stored(&comparison, desk)?;
                input.finish()?;
                Ok(state)
            })?);
        }
        let values = heaps.values(&[]);
        let mut parcels = Vec::new();
        for bytes in &self.parcels {
            let mut input = values.of(bytes);
            parcels.push(input.stored(&comparison, parcel)?);
            input.finish()?;
        }
        drop(values);
        let mut heaps = heaps.finish(&[])?;
        let states = states.into_iter().map(|state| heaps.heap(state, None));
        Ok(World {
            heaps: states.collect(),
            detached: heaps.detached().map(|(_, heap)| heap).collect(),
            source,
            parcels,
            notes: 0,
        })
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let pacing = match cfg!(miri) {
        true => Pacing::new(),
        false => super::programs::any_pacing(&mut random, seed),
    };
    let mut world = World::new(random.usize(2..5), pacing);
    for _ in 0..if cfg!(miri) { 30 } else { 200 } {
        world.step(&mut random);
        if random.u8(..12) != 0 {
            continue;
        }
        let saved = world.save();
        for number in &saved.named {
            let is_saved = saved.heaps.iter().any(|heap| heap.0 == *number);
            assert!(is_saved, "the heap {number} is named");
        }
        let numbers = random.choice([HeapNumbers::Kept, HeapNumbers::New]);
        let restored = saved.restored(pacing, numbers.expect("one of two"));
        let mut restored = restored.expect("it is restored");
        restored.notes = world.notes;
        restored.balanced();
        assert_eq!(restored.reached(), world.reached());
        if random.bool() {
            std::mem::replace(&mut world, restored).end();
        } else {
            restored.end();
        }
        world.balanced();
    }
    world.end();
}

#[test]
fn seeded_heaps_that_share_are_restored_as_they_were() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 40 }) {
        seeds::run(seed, || program(seed));
    }
}

/// Each refers to the last one of the heap before, so the chain goes through all heaps many times.
#[test]
fn a_long_chain_through_heaps_needs_no_stack() {
    let length = if cfg!(miri) { 30 } else { 100_000 };
    let mut world = World::new(3, Pacing::new());
    let mut parcel = None;
    for number in 0..length {
        let heap = &mut world.heaps[number % 3];
        let next = heap.turn(|m, _| {
            let before = parcel.take().map(|parcel| m.unpack(parcel));
            let text = m.val_str("");
            let refers_to = (before, None);
            let number = number as u64;
            m.pack::<AnyNote>(m.val(Note {
                number,
                text,
                refers_to,
            }))
        });
        parcel = Some(next);
    }
    world.parcels.extend(parcel);
    let saved = world.save();
    let restored = saved.restored(Pacing::new(), HeapNumbers::Kept);
    let mut restored = restored.expect("it is restored");
    let last = restored.parcels.pop().expect("one");
    last.look(|last| {
        let all = std::iter::successors(Some(*last), |note| note.refers_to.0);
        assert_eq!(all.count(), length);
    });
}

#[test]
fn a_heap_that_the_image_lacks_is_an_error() {
    let mut world = World::new(2, verified());
    let parcel = world.heaps[0].turn(|m, _| {
        let text = m.val_str("of the first one");
        let refers_to = (None, None);
        m.pack::<AnyNote>(m.val(Note {
            number: 1,
            text,
            refers_to,
        }))
    });
    world.heaps[1].turn(|m, (notes, _)| notes.push(m.unpack(parcel)));
    let mut saved = world.save();
    let lost = saved.heaps.remove(0);
    let failed = saved.restored(verified(), HeapNumbers::Kept);
    let error = failed.err().expect("a heap is missing").to_string();
    let what = format!("of the heap {}, which the image lacks", lost.0);
    assert!(error.contains(&what), "{error}");
    saved.heaps.push(lost);
    let restored = saved.restored(verified(), HeapNumbers::Kept);
    restored.expect("all are there").end();
    world.end();
}

/// A number of a heap is a number in a file: each change of a byte is an error, or another value.
#[test]
fn seeded_changed_bytes_are_an_error_or_a_world() {
    let mut random = Rng::with_seed(1);
    let mut world = World::new(3, Pacing::new());
    for _ in 0..if cfg!(miri) { 20 } else { 80 } {
        world.step(&mut random);
    }
    let saved = world.save();
    let mut errors = 0;
    let tries = if cfg!(miri) { 20 } else { 400 };
    for _ in 0..tries {
        let mut changed = SavedWorld {
            heaps: saved.heaps.clone(),
            parcels: saved.parcels.clone(),
            named: Vec::new(),
        };
        let heap = random.usize(..changed.heaps.len());
        let (_, state, spans) = &mut changed.heaps[heap];
        let span = random.usize(..=spans.len());
        match (spans.get_mut(span), state) {
            (Some(span), _) => {
                let mut bytes = to_bytes(span).expect("a span is saved");
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
                match from_bytes(&bytes) {
                    Ok(other) => *span = other,
                    Err(_) => continue,
                }
            }
            (None, Some(bytes)) if !bytes.is_empty() => {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            _ => continue,
        }
        match changed.restored(Pacing::new(), HeapNumbers::New) {
            Ok(mut world) => world.balanced(),
            Err(_) => errors += 1,
        }
    }
    assert!(errors > tries / 10, "{errors} errors");
}
