//! Images that are wrong, types that read what they load, long chains and slices.

use super::counted::{Counted, LOADS};
use super::saved::SavedHeap;
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes, to_bytes};
use vivant_heap::{Gc, Heap, Mut, Object, Pacing, PageSource, Stress, When};

/// An object that never changes, in a chain.
#[derive(Object, Saved)]
struct Link<'gc> {
    number: u64,
    before: Option<Gc<'gc, Link<'gc>>>,
}

root!(Chain = Option<Gc<'gc, Link<'gc>>>);

fn heap_of_chain(source: &Arc<PageSource>, length: u64) -> Heap<Chain> {
    let mut heap = Heap::<Chain>::new(source, Pacing::new(), |_| None);
    for number in 0..length {
        heap.turn(|m, last| {
            let before = *last;
            *last = Some(m.alloc(Link { number, before }));
        });
        heap.pace();
    }
    heap
}

fn numbers<'a>(last: Option<Gc<'a, Link<'a>>>) -> Vec<u64> {
    std::iter::successors(last, |link| link.before)
        .map(|link| link.number)
        .collect()
}

#[test]
fn a_long_chain_needs_no_stack() {
    let length = if cfg!(miri) { 50 } else { 200_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = heap_of_chain(&source, length);
    let saved = SavedHeap::of(&mut heap).expect("a chain is saved");
    let mut restored = saved
        .restored::<Chain>(&source, Pacing::new())
        .expect("it is restored");
    let expected: Vec<u64> = (0..length).rev().collect();
    restored.turn(|_, last| assert_eq!(numbers(*last), expected));
}

#[derive(Object, Saved)]
struct Wide<'gc> {
    count: Counted,
    links: Gc<'gc, [Gc<'gc, Link<'gc>>]>,
}

root!(Wides = Option<Gc<'gc, Wide<'gc>>>);

#[test]
fn a_long_slice_is_loaded_once() {
    let length: u64 = if cfg!(miri) { 20 } else { 10_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Wides>::new(&source, Pacing::new(), |m| {
        let links = (0..length).map(|number| {
            let before = None;
            m.alloc(Link { number, before })
        });
        let links = m.alloc_iter(links.collect::<Vec<_>>());
        let count = Counted::new(1);
        Some(m.alloc(Wide { count, links }))
    });
    let saved = SavedHeap::of(&mut heap).expect("a slice is saved");
    LOADS.set(0);
    let mut restored = saved
        .restored::<Wides>(&source, Pacing::new())
        .expect("it is restored");
    assert_eq!(LOADS.get(), 1);
    restored.turn(|_, wide| {
        let links = wide.expect("a slice").links;
        let numbers: Vec<u64> = links.iter().map(|link| link.number).collect();
        assert_eq!(numbers, (0..length).collect::<Vec<_>>());
    });
}

/// A type that reads what it refers to while it is loaded.
#[derive(Object)]
struct Reader<'gc> {
    link: Gc<'gc, Link<'gc>>,
    cell: Gc<'gc, Mut<u64>>,
    found: (u64, bool),
}

impl<'gc> Saved<'gc> for Reader<'gc> {
    const SHAPE: &'static Shape = <(Gc<'gc, Link<'gc>>, Gc<'gc, Mut<u64>>) as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        (self.link, self.cell).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Reader<'gc>, LoadError> {
        let (link, cell) = <(Gc<'gc, Link<'gc>>, Gc<'gc, Mut<u64>>)>::load(input)?;
        let found = (link.number, cell.try_borrow().is_ok());
        Ok(Reader { link, cell, found })
    }
}

root!(Readers = Vec<Gc<'gc, Reader<'gc>>>);

#[test]
fn a_load_that_reads_ahead_finds_whole_objects() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Readers>::new(&source, Pacing::new(), |m| {
        let link = m.alloc(Link {
            number: 7,
            before: None,
        });
        let cell = m.alloc(Mut::new(3));
        let found = (0, false);
        vec![m.alloc(Reader { link, cell, found })]
    });
    let saved = SavedHeap::of(&mut heap).expect("a reader is saved");
    let mut restored = saved
        .restored::<Readers>(&source, Pacing::new())
        .expect("it is restored");
    restored.turn(|m, readers| {
        assert_eq!(
            readers[0].found,
            (7, false),
            "a cell without a value was read"
        );
        assert_eq!(readers[0].cell.get(), 3);
        readers[0].cell.set(m, 4);
        assert_eq!(readers[0].link.number, 7);
    });
}

root!(Cells = Vec<Gc<'gc, Mut<Vec<String>>>>);

fn heap_of_cells(source: &Arc<PageSource>) -> Heap<Cells> {
    Heap::new(source, Pacing::new(), |m| {
        let cell = |n: usize| m.alloc(Mut::new(vec!["text".to_owned(); n % 7]));
        (0..if cfg!(miri) { 10 } else { 300 }).map(cell).collect()
    })
}

#[test]
fn a_failed_restore_leaves_nothing() {
    let source = Arc::new(PageSource::new());
    let mut heap = heap_of_cells(&source);
    let mut saved = SavedHeap::of(&mut heap).expect("cells are saved");
    drop(heap);
    let before = source.stats().pages;
    for cut in 1..if cfg!(miri) { 3 } else { 100 } {
        let mut short = saved.clone();
        short.state.truncate(saved.state.len() - cut);
        let failed = short.restored::<Cells>(&source, Pacing::new());
        assert!(failed.is_err());
        assert_eq!(source.stats().pages, before, "pages are lost");
    }
    saved.spans.clear();
    let failed = saved.restored::<Cells>(&source, Pacing::new());
    let error = failed.expect_err("there is no object").to_string();
    assert!(error.contains("where the heap has no object"), "{error}");
}

#[test]
fn changed_bytes_are_an_error_or_a_heap() {
    let source = Arc::new(PageSource::new());
    let mut heap = heap_of_chain(&source, 40);
    let saved = SavedHeap::of(&mut heap).expect("a chain is saved");
    drop(heap);
    let stressed = Pacing::new().stressed(Stress::new(When::All, 1));
    let seeds = crate::seeds::seeds(if cfg!(miri) { 3 } else { 3_000 });
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut changed = saved.clone();
        for _ in 0..random.usize(1..4) {
            let bytes = match random.usize(..=changed.spans.len()) {
                0 => &mut changed.state,
                span => &mut changed.spans[span - 1],
            };
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        if let Ok(mut restored) = changed.restored::<Chain>(&source, stressed) {
            restored.turn(|_, last| assert!(numbers(*last).len() <= 40));
            restored.collect();
        }
        assert_eq!(source.stats().pages, 0);
    }
}

#[derive(Object, Saved)]
struct Both<'gc> {
    link: Gc<'gc, Link<'gc>>,
    cell: Gc<'gc, Mut<u64>>,
}

root!(Boths = Both<'gc>);

#[derive(Object, Saved)]
#[saved(name = "all::image::wrong_images::Both")]
struct Wrong<'gc> {
    link: Gc<'gc, Link<'gc>>,
    cell: Gc<'gc, Link<'gc>>,
}

root!(Wrongs = Wrong<'gc>);

#[test]
fn a_block_of_another_type_is_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Wrongs>::new(&source, Pacing::new(), |m| {
        let number = 5;
        let before = None;
        let link = m.alloc(Link { number, before });
        Wrong { link, cell: link }
    });
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let failed = saved.restored::<Boths>(&source, Pacing::new());
    let error = failed.expect_err("a link is no cell").to_string();
    assert!(error.contains("where the heap has a"), "{error}");
}

/// A span of blocks, as it is encoded: number, number of the variant and block size, blocks,
/// contents.
type SpanParts = (u32, (u32, u32), Vec<(u8, u32, u32)>, Vec<u8>);

/// Objects that refer to each other, and never change, are made by an image alone.
#[test]
fn whole_objects_in_a_cycle_are_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = heap_of_chain(&source, 2);
    let mut saved = SavedHeap::of(&mut heap).expect("a chain is saved");
    assert_eq!((saved.state[0], saved.spans.len()), (1, 1));
    // The first link gets a reference to the last one, which the state names.
    let last = [&[0, 1], &saved.state[1..]].concat();
    let (number, holds, blocks, content): SpanParts = from_bytes(&saved.spans[0]).expect("a span");
    let (mut contents, mut start) = (Vec::new(), 0);
    let blocks: Vec<_> = blocks
        .into_iter()
        .map(|(block, object, bytes)| {
            let link = &content[start..start + bytes as usize];
            start += bytes as usize;
            let link = if link == [0, 0] { &last } else { link };
            contents.extend_from_slice(link);
            (block, object, link.len() as u32)
        })
        .collect();
    assert_eq!(contents.len(), content.len() + last.len() - 2);
    let span: SpanParts = (number, holds, blocks, contents);
    saved.spans[0] = to_bytes(&span).expect("a span");
    let failed = saved.restored::<Chain>(&source, Pacing::new());
    let error = failed.expect_err("a cycle").to_string();
    assert!(error.contains("refers to itself"), "{error}");
}

#[test]
fn spans_without_objects_cost_nothing() {
    let source = Arc::new(PageSource::new());
    let mut heap = heap_of_cells(&source);
    let mut saved = SavedHeap::of(&mut heap).expect("cells are saved");
    drop(heap);
    // An empty sequence: nothing refers to the objects.
    saved.state = vec![0];
    let restored = saved
        .restored::<Cells>(&source, Pacing::new())
        .expect("an empty heap");
    assert_eq!(source.stats().pages, 0);
    drop(restored);
}
