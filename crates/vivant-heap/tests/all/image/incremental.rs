//! Images that leave to earlier ones what has not changed since.

use super::graph::Graph;
use super::programs::{any_pacing, sorted, step};
use super::saved::{SavedHeap, SavedRoot, save_state};
use super::sink::{Sink, Taken};
use crate::seeds;
use fastrand::Rng;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::{
    Gc, Heap, ImageId, Leaf, Mut, Object, ObjectCodecs, Pacing, PageSource, Stress, Weak, When,
};

const STEPS: usize = if cfg!(miri) { 8 } else { 120 };

/// The images of one heap of which the records are kept, and refer to each other.
struct Chain {
    codecs: Arc<ObjectCodecs>,
    images: Vec<(ImageId, BTreeMap<u32, Vec<u8>>)>,
}

/// An image that has begun.
struct Begun {
    saved: SavedHeap,
    taken: Taken,
}

impl Chain {
    fn new<R: SavedRoot>() -> Chain {
        let codecs = Arc::new(SavedHeap::empty::<R>().1);
        let images = Vec::new();
        Chain { codecs, images }
    }

    fn begin<R: SavedRoot>(&self, heap: &mut Heap<R>) -> Begun {
        let mut saved = SavedHeap::empty::<R>().0;
        let since = self.images.last().map(|(id, _)| id.clone());
        let (sink, taken) = Sink::since(since);
        let state = save_state::<R>(heap.saved_heap(), &self.codecs);
        saved.state = heap.begin_image(self.codecs.clone(), Box::new(sink), state);
        Begun { saved, taken }
    }

    /// The image is complete, and kept. Returns it with all records, and how many are its own.
    fn keep(&mut self, begun: Begun) -> (SavedHeap, usize) {
        let Begun { mut saved, taken } = begun;
        let own = taken.by_number();
        let own_records = own.len();
        saved.spans = own.values().cloned().collect();
        for (span, first_image) in taken.unchanged() {
            let mut images = self.images.iter();
            let (_, records) = images
                .find(|(id, _)| id.number() >= first_image)
                .expect("an image that is kept");
            saved.spans.push(records[&span].clone());
        }
        self.images.push((taken.id(), own));
        (saved, own_records)
    }

    fn image<R: SavedRoot>(&mut self, heap: &mut Heap<R>) -> (SavedHeap, usize) {
        let begun = self.begin(heap);
        heap.finish_image();
        self.keep(begun)
    }
}

/// Whatever turns and collections do: an incremental image is restored as a whole one is.
#[test]
fn seeded_incremental_images_are_whole() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 12 }) {
        seeds::run(seed, || program(seed));
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = match cfg!(miri) {
        true => Pacing::new(),
        false => any_pacing(&mut random, seed),
    };
    let mut heap = Heap::<Graph>::new(&source, pacing, |_| Vec::new());
    let mut chain = Chain::new::<Graph>();
    let mut begun: Option<(SavedHeap, Begun)> = None;
    let (mut images, mut left) = (0, 0);
    for _ in 0..STEPS {
        if random.u8(..3) != 0 {
            heap.turn(|m, graph| step(&mut random, m, graph));
        }
        match random.u8(..16) {
            0 => heap.collect(),
            1 => heap.sweep_some(2),
            2 => drop(heap.begin_mark()),
            3 => heap.finish_image(),
            // Its image is given up.
            4 => begun = None,
            5 => chain.images.clear(),
            _ => heap.pace(),
        }
        if begun.is_none() && random.u8(..3) == 0 {
            let before = SavedHeap::of(&mut heap).expect("all is saved");
            begun = Some((before, chain.begin(&mut heap)));
        }
        if !heap.is_imaging()
            && let Some((before, image)) = begun.take()
        {
            left += image.taken.unchanged().len();
            // Records that it leaves to images that are kept no more are lost.
            if chain.images.is_empty() && !image.taken.unchanged().is_empty() {
                continue;
            }
            let (saved, _) = chain.keep(image);
            images += 1;
            are_the_same(&saved, &before, &source);
        }
    }
    assert!(images > 0, "the program has taken no image");
    assert!(cfg!(miri) || left > 0, "all was written each time");
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

/// Two images of one heap restore the same one.
fn are_the_same(one: &SavedHeap, other: &SavedHeap, source: &Arc<PageSource>) {
    let restored = [one, other].map(|saved| {
        let heap = saved.restored::<Graph>(source, Pacing::new());
        SavedHeap::of(&mut heap.expect("it is restored")).expect("all is saved")
    });
    assert_eq!(sorted(&restored[0]), sorted(&restored[1]));
}

root!(Numbers = Vec<Gc<'gc, Mut<(u64, u64)>>>);

const MANY: u64 = if cfg!(miri) { 600 } else { 20_000 };

fn numbers() -> Heap<Numbers> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::new(), |m| {
        (0..MANY).map(|n| m.alloc(Mut::new((n, n)))).collect()
    })
}

/// The numbers of an image.
fn restored(saved: &SavedHeap) -> Vec<(u64, u64)> {
    let source = Arc::new(PageSource::new());
    let heap = saved.restored::<Numbers>(&source, Pacing::new());
    heap.expect("it is restored")
        .turn(|_, all| all.iter().map(|one| *one.borrow()).collect())
}

#[test]
fn what_has_not_changed_is_not_written() {
    let (mut heap, mut chain) = (numbers(), Chain::new::<Numbers>());
    let (_, all) = chain.image(&mut heap);
    let (saved, none) = chain.image(&mut heap);
    assert!(all > 4 && none == 0, "{all} spans at first, then {none}");
    heap.turn(|m, all| all[7].borrow_mut(m).1 = 70);
    let (changed, one) = chain.image(&mut heap);
    assert_eq!(one, 1, "spans that were written");
    heap.turn(|m, all| all.push(m.alloc(Mut::new((1, 2)))));
    let (grown, few) = chain.image(&mut heap);
    assert!((1..=2).contains(&few), "spans that were written: {few}");

    let mut expected: Vec<(u64, u64)> = (0..MANY).map(|n| (n, n)).collect();
    assert_eq!(restored(&saved), expected);
    expected[7].1 = 70;
    assert_eq!(restored(&changed), expected);
    expected.push((1, 2));
    assert_eq!(restored(&grown), expected);
}

/// Changes while an image is written are of the next image, and of no earlier one.
#[test]
fn what_changes_while_an_image_is_written_is_in_the_next_one() {
    let pacing = Pacing::new().stressed(Stress::new(When::Paced, 1));
    let mut heap = Heap::<Numbers>::new(&Arc::new(PageSource::new()), pacing, |m| {
        (0..600).map(|n| m.alloc(Mut::new((n, n)))).collect()
    });
    let mut chain = Chain::new::<Numbers>();
    chain.image(&mut heap);
    let begun = chain.begin(&mut heap);
    assert!(heap.is_imaging());
    heap.turn(|m, all| all.last().expect("many").borrow_mut(m).1 = 7);
    heap.collect_young();
    heap.finish_image();
    let (before, none) = chain.keep(begun);
    assert_eq!(none, 0, "the image has changes that came after it began");
    let (after, one) = chain.image(&mut heap);
    assert_eq!(one, 1);
    assert_eq!(restored(&before)[599], (599, 599));
    assert_eq!(restored(&after)[599], (599, 7));
}

#[test]
fn changes_before_a_failed_image_are_in_the_next_one() {
    let (mut heap, mut chain) = (numbers(), Chain::new::<Numbers>());
    chain.image(&mut heap);
    heap.turn(|m, all| all[7].borrow_mut(m).1 = 70);
    // It is complete, and its records are lost.
    drop(chain.begin(&mut heap));
    heap.finish_image();
    let (saved, one) = chain.image(&mut heap);
    assert_eq!(one, 1);
    assert_eq!(restored(&saved)[7], (7, 70));
}

#[test]
fn an_image_of_another_heap_is_no_earlier_one() {
    let (mut one, mut chain) = (numbers(), Chain::new::<Numbers>());
    let (_, all) = chain.image(&mut one);
    let mut other = numbers();
    assert_eq!(chain.image(&mut other).1, all);
    // Nor is one with other numbers for the types of objects.
    chain.codecs = Chain::new::<Numbers>().codecs;
    assert_eq!(chain.image(&mut other).1, all);
}

root!(Cells = Vec<Gc<'gc, Counted>>);

#[derive(Object, Saved)]
struct Counted {
    count: Leaf<Cell<u32>>,
}

#[test]
fn objects_with_cells_are_written_each_time() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Cells>::new(&source, Pacing::new(), |m| {
        (0..10)
            .map(|_| {
                m.alloc(Counted {
                    count: Leaf(Cell::new(1)),
                })
            })
            .collect()
    });
    let mut chain = Chain::new::<Cells>();
    chain.image(&mut heap);
    heap.turn(|_, all| all[3].count.0.set(4));
    let (saved, one) = chain.image(&mut heap);
    assert_eq!(one, 1);
    let restored = saved.restored::<Cells>(&source, Pacing::new());
    restored.expect("it is restored").turn(|_, all| {
        let counts: Vec<u32> = all.iter().map(|one| one.count.0.get()).collect();
        assert_eq!(counts, [1, 1, 1, 4, 1, 1, 1, 1, 1, 1]);
    });
}

/// A value that depends on the world.
#[derive(Object)]
struct Asks(u32);

impl<'gc> Saved<'gc> for Asks {
    const SHAPE: &'static Shape = u32::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        let _none: Option<&u32> = out.context();
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Asks, LoadError> {
        u32::load(input).map(Asks)
    }
}

root!(Outside = Vec<Gc<'gc, Mut<Asks>>>);

#[test]
fn objects_that_lead_out_of_the_heap_are_written_each_time() {
    let source = Arc::new(PageSource::new());
    let mut heap =
        Heap::<Outside>::new(&source, Pacing::new(), |m| vec![m.alloc(Mut::new(Asks(1)))]);
    let mut chain = Chain::new::<Outside>();
    for _ in 0..3 {
        assert_eq!(chain.image(&mut heap).1, 1);
    }
}

root!(Weakly = (Option<Gc<'gc, Mut<u64>>>, Weak<'gc, Mut<u64>>));

#[test]
fn a_weak_reference_that_is_cleared_has_changed() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Weakly>::new(&source, Pacing::new(), |m| {
        let target = m.alloc(Mut::new(1));
        (Some(target), Weak::new(m, target))
    });
    let mut chain = Chain::new::<Weakly>();
    chain.image(&mut heap);
    heap.turn(|_, (target, _)| *target = None);
    heap.collect();
    let (saved, one) = chain.image(&mut heap);
    assert_eq!(one, 1);
    let restored = saved.restored::<Weakly>(&source, Pacing::new());
    restored.expect("it is restored").turn(|m, (_, weak)| {
        assert!(weak.upgrade(m).is_none(), "what is dead is back");
    });
}
