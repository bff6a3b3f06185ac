//! Regions in images: each is restored as it was when what holds it was saved.

use super::cut;
use super::harbour::{Harbour, Program, Region, counts_agree, ends, harbour, pictures, ring};
use super::programs::any_pacing;
use super::saved::SavedHeap;
use super::sink::{Sink, Taken};
use crate::seeds;
use fastrand::Rng;
use std::any::Any;
use std::sync::Arc;
use vivant_codec::{Encoder, Saved, from_bytes, to_bytes};
use vivant_heap::*;

#[test]
fn regions_in_states_and_objects_are_restored() {
    let source = Arc::new(PageSource::new());
    let mut heap = harbour(&source, Pacing::new());
    heap.turn(|m, (docked, moored)| {
        docked.push(ring(m, 5));
        let mut outer = ring(m, 2);
        let inner = ring(m, 3);
        outer.open(|r, nodes| nodes[1].borrow_mut(r).inner = Some(inner));
        moored.push(m.alloc(Mut::new(Some(outer))));
        moored.push(m.alloc(Mut::new(None)));
    });
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let mut restored = saved
        .restored::<Harbour>(&source, Pacing::new())
        .expect("it is restored");
    assert_eq!(pictures(&mut restored), pictures(&mut heap));
    let again = SavedHeap::of(&mut restored).expect("all is saved");
    assert_eq!(again.state, saved.state, "a region has another image");
    drop((heap, restored));
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_regions_are_restored_as_they_were() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 30 }) {
        seeds::run(seed, || program(seed));
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let pacing = match cfg!(miri) {
        true => Pacing::new(),
        false => any_pacing(&mut random, seed),
    };
    let source = Arc::new(PageSource::new());
    let mut heap = harbour(&source, pacing);
    let titles = random.bool();
    let mut program = Program {
        random,
        next: 0,
        titles,
    };
    for _ in 0..if cfg!(miri) { 20 } else { 150 } {
        heap.turn(|m, state| program.step(m, state));
        heap.pace();
        if program.random.u8(..6) != 0 {
            continue;
        }
        let mut restored = match program.titles {
            true => restored_with_names(&mut heap, &source),
            false => {
                let saved = SavedHeap::of(&mut heap).expect("all is saved");
                let written = SavedHeap::begin(&mut heap);
                heap.finish_image();
                assert_eq!(whole(written), saved, "another image");
                let restored = saved.restored::<Harbour>(&source, pacing);
                restored.expect("it is restored")
            }
        };
        counts_agree(&mut restored);
        assert_eq!(pictures(&mut restored), pictures(&mut heap));
        if program.random.bool() {
            std::mem::swap(&mut heap, &mut restored);
        }
        ends(restored);
    }
    ends(heap);
    assert_eq!(source.stats().pages, 0);
}

/// The image that was begun, which is complete.
fn whole((mut saved, taken): (SavedHeap, Taken)) -> SavedHeap {
    saved.spans = taken.by_number().into_values().collect();
    saved
}

/// The heap again, from an image with names of shared objects.
fn restored_with_names(heap: &mut Heap<Harbour>, source: &Arc<PageSource>) -> Heap<Harbour> {
    let image = cut::saved(heap, source);
    cut::restoring::<Harbour, _>(source, std::slice::from_ref(&image), |heaps| {
        let state = cut::state::<Harbour>(&heaps, &image).expect("a state");
        let mut heaps = heaps.finish(&[]).expect("all is loaded");
        heaps.heap(state, None)
    })
}

/// The pre-image of an object has the regions that it has.
#[test]
fn a_region_that_is_opened_while_an_image_is_written_is_in_it_as_it_was() {
    let source = Arc::new(PageSource::new());
    let mut heap = harbour(&source, Pacing::new());
    heap.turn(|m, (_, moored)| {
        moored.push(m.alloc(Mut::new(Some(ring(m, 3)))));
        moored.extend((0..9000).map(|_| m.alloc(Mut::new(None))));
    });
    let before = pictures(&mut heap);
    let (mut saved, codecs) = SavedHeap::empty::<Harbour>();
    let (sink, taken) = Sink::new();
    taken.demand(Demand::Wait);
    let codecs = Arc::new(codecs);
    let state = super::saved::save_state::<Harbour>(heap.saved_heap(), &codecs);
    saved.state = heap.begin_image(codecs.clone(), Box::new(sink), state);
    assert!(heap.is_imaging(), "it is large");
    heap.turn(|m, (docked, moored)| {
        let mut region = moored[0].borrow_mut(m).take().expect("a region");
        region.open(|r, nodes| {
            nodes[0].borrow_mut(r).number = 99;
            nodes.pop();
        });
        docked.push(region);
    });
    taken.demand(Demand::More);
    heap.finish_image();
    let mut restored = whole((saved, taken))
        .restored::<Harbour>(&source, Pacing::new())
        .expect("it is restored");
    assert_eq!(pictures(&mut restored), before);
}

/// Regions of which each lies in the next one.
fn nested(heap: &mut Heap<Harbour>, depth: usize) {
    heap.turn(|m, (docked, _)| {
        let mut region = ring(m, 1);
        for _ in 1..depth {
            let inner = std::mem::replace(&mut region, ring(m, 1));
            region.open(|r, nodes| nodes[0].borrow_mut(r).inner = Some(inner));
        }
        docked.push(region);
    });
}

fn state_of(heap: &mut Heap<Harbour>) -> Result<Vec<u8>, String> {
    let codecs = SavedHeap::empty::<Harbour>().1;
    let contexts: [&dyn Any; 2] = [&codecs, &heap.saved_heap()];
    heap.turn(|_, state| {
        let mut out = Encoder::new().with_contexts(&contexts);
        state.save(&mut out);
        out.finish().map_err(|error| error.to_string())
    })
}

#[test]
fn regions_within_sixteen_others_are_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = harbour(&source, Pacing::new());
    nested(&mut heap, 16);
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let restored = saved.restored::<Harbour>(&source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    assert_eq!(pictures(&mut restored), pictures(&mut heap));
    nested(&mut heap, 17);
    let error = state_of(&mut heap).expect_err("it is deeper");
    assert!(error.contains("within 16 others"), "{error}");
}

#[test]
fn a_region_is_saved_only_into_an_image() {
    let source = Arc::new(PageSource::new());
    let region = Region::new(&source, |_| Vec::new());
    let error = to_bytes(&region).expect_err("no image is made");
    assert!(error.to_string().contains("no image is made"), "{error}");
    let error = from_bytes::<Region>(&[0, 0]).expect_err("no heap is restored");
    assert!(error.to_string().contains("no heap is restored"), "{error}");
}
