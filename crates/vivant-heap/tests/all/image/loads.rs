//! What a restore loads: each value once, and all of them are dropped once.

use super::counted::{ALIVE, Counted, LOADS};
use super::saved::SavedHeap;
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes, to_bytes};
use vivant_heap::{Gc, Heap, Leaf, Mut, Object, Pacing, PageSource};

#[derive(Object, Saved)]
struct Item {
    number: u64,
}

#[derive(Object, Saved)]
struct Table<'gc> {
    count: Counted,
    items: Vec<Gc<'gc, Item>>,
}

root!(InState = Table<'gc>);
root!(InPlace = Gc<'gc, Mut<Table<'gc>>>);
root!(Whole = Gc<'gc, Table<'gc>>);

/// A span of blocks, as it is encoded: number, number of the variant and block size, blocks,
/// contents.
type SpanParts = (u32, (u32, u32), Vec<(u8, u32, u32)>, Vec<u8>);

const ITEMS: u64 = if cfg!(miri) { 10 } else { 3_000 };

macro_rules! table {
    ($m:ident) => {{
        let items = (0..ITEMS).map(|number| $m.alloc(Item { number }));
        let items = items.collect();
        let count = Counted::new(1);
        Table { count, items }
    }};
}

#[test]
fn each_content_is_loaded_once() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<InState>::new(&source, Pacing::new(), |m| table!(m));
    let in_state = SavedHeap::of(&mut heap).expect("it is saved");
    let mut heap = Heap::<InPlace>::new(&source, Pacing::new(), |m| m.alloc(Mut::new(table!(m))));
    let in_place = SavedHeap::of(&mut heap).expect("it is saved");
    let mut heap = Heap::<Whole>::new(&source, Pacing::new(), |m| m.alloc(table!(m)));
    let whole = SavedHeap::of(&mut heap).expect("it is saved");
    LOADS.set(0);
    let restored = in_state.restored::<InState>(&source, Pacing::new());
    drop(restored.expect("a table"));
    assert_eq!(LOADS.replace(0), 1);
    let restored = in_place.restored::<InPlace>(&source, Pacing::new());
    drop(restored.expect("a table"));
    assert_eq!(LOADS.replace(0), 1);
    let restored = whole.restored::<Whole>(&source, Pacing::new());
    drop(restored.expect("a table"));
    assert_eq!(LOADS.replace(0), 1);
}

#[test]
fn two_numbers_for_one_type_are_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<InState>::new(&source, Pacing::new(), |m| table!(m));
    let mut saved = SavedHeap::of(&mut heap).expect("it is saved");
    let number = saved.objects.len() as u32;
    saved.objects.push(saved.objects[0]);
    let (of, holds, mut blocks, content): SpanParts = from_bytes(&saved.spans[0]).expect("a span");
    blocks[0].1 = number;
    saved.spans[0] = to_bytes(&(of, holds, blocks, content)).expect("a span");
    let failed = saved.restored::<InState>(&source, Pacing::new());
    let error = failed.expect_err("two numbers").to_string();
    assert!(error.contains("two numbers"), "{error}");
}

/// A load that goes on without what it refers to.
#[derive(Object)]
struct Lax<'gc> {
    count: Counted,
    item: Option<Gc<'gc, Item>>,
}

impl<'gc> Saved<'gc> for Lax<'gc> {
    const SHAPE: &'static Shape = <(Counted, Option<Gc<'gc, Item>>) as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.count.save(out);
        self.item.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Lax<'gc>, LoadError> {
        let count = Counted::load(input)?;
        let item = Option::load(input).ok().flatten();
        Ok(Lax { count, item })
    }
}

root!(Laxes = (Gc<'gc, Mut<Lax<'gc>>>, Gc<'gc, Lax<'gc>>));

#[test]
fn values_are_dropped_once_whatever_a_load_ignores() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Laxes>::new(&source, Pacing::new(), |m| {
        let lax = |number| {
            let item = Some(m.alloc(Item { number }));
            let count = Counted::new(number);
            Lax { count, item }
        };
        (m.alloc(Mut::new(lax(1))), m.alloc(lax(2)))
    });
    let saved = SavedHeap::of(&mut heap).expect("it is saved");
    drop(heap);
    assert_eq!(ALIVE.get(), 0);
    let mut restored = saved
        .restored::<Laxes>(&source, Pacing::new())
        .expect("all of it is there");
    restored.turn(|_, (one, other)| {
        assert_eq!(one.borrow().item.map(|item| item.number), Some(1));
        assert_eq!(other.item.map(|item| item.number), Some(2));
        assert_eq!(one.borrow().count.0 + other.count.0, 3);
    });
    drop(restored);
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_content_with_bytes_behind_it_is_refused_and_dropped() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Whole>::new(&source, Pacing::new(), |m| m.alloc(table!(m)));
    let whole = SavedHeap::of(&mut heap).expect("it is saved");
    drop(heap);
    let mut refused = 0;
    for span in 0..whole.spans.len() {
        let mut longer = whole.clone();
        let (of, holds, mut blocks, mut content): SpanParts = match from_bytes(&whole.spans[span]) {
            Ok(parts) => parts,
            // A large object.
            Err(_) => continue,
        };
        let last = blocks.last_mut().expect("an object");
        last.2 += 1;
        content.push(0);
        longer.spans[span] = to_bytes(&(of, holds, blocks, content)).expect("a span");
        refused += u64::from(longer.restored::<Whole>(&source, Pacing::new()).is_err());
        assert_eq!((ALIVE.get(), source.stats().pages), (0, 0));
    }
    assert!(refused > 0);
}

mod before {
    use super::*;

    #[derive(Object, Saved)]
    #[saved(name = "Parent")]
    pub(super) struct Parent<'gc> {
        pub(super) name: Gc<'gc, str>,
        pub(super) children: Vec<Gc<'gc, Mut<Child<'gc>>>>,
    }

    #[derive(Object, Saved)]
    #[saved(name = "Child")]
    pub(super) struct Child<'gc> {
        pub(super) parent: Gc<'gc, Mut<Parent<'gc>>>,
        pub(super) number: u64,
    }

    root!(pub(super) Family = Vec<Gc<'gc, Mut<Child<'gc>>>>);
}

mod after {
    use super::*;

    #[derive(Object, Saved)]
    #[saved(name = "Parent")]
    pub(super) struct Parent<'gc> {
        pub(super) name: Gc<'gc, str>,
    }

    #[derive(Object, Saved)]
    #[saved(name = "Child")]
    pub(super) struct Child<'gc> {
        pub(super) parent: Gc<'gc, Parent<'gc>>,
        pub(super) number: u64,
    }

    root!(pub(super) Family = Vec<Gc<'gc, Child<'gc>>>);
}

/// The file has a cycle, by a field that the program does not have any more.
#[test]
fn a_cycle_that_the_program_does_not_load_is_none() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<before::Family>::new(&source, Pacing::new(), |m| {
        let name = m.alloc_str("Ada");
        let children = Vec::new();
        let parent = m.alloc(Mut::new(before::Parent { name, children }));
        let child = |number| m.alloc(Mut::new(before::Child { parent, number }));
        let all: Vec<_> = (0..3).map(child).collect();
        parent.borrow_mut(m).children.clone_from(&all);
        all
    });
    let saved = SavedHeap::of(&mut heap).expect("it is saved");
    let mut restored = saved
        .restored::<after::Family>(&source, Pacing::new())
        .expect("no cycle is in what is loaded");
    restored.turn(|_, children| {
        for (number, child) in children.iter().enumerate() {
            assert_eq!(child.number, number as u64);
            assert!(Gc::ptr_eq(child.parent, children[0].parent));
            assert_eq!(&*child.parent.name, "Ada");
        }
    });
}

root!(Units = Vec<Gc<'gc, Leaf<Vec<()>>>>);

#[test]
fn each_object_has_the_limits_of_a_value() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Units>::new(&source, Pacing::new(), |m| {
        let units = |_| m.alloc(Leaf(vec![(); 100]));
        (0..100).map(units).collect()
    });
    let saved = SavedHeap::of(&mut heap).expect("each is far from the limit");
    let restored = saved.restored::<Units>(&source, Pacing::new());
    restored
        .expect("each is far from the limit")
        .turn(|_, all| assert!(all.iter().all(|units| units.0.len() == 100)));
}

#[test]
fn a_restore_keeps_within_the_bound_of_its_source() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<InState>::new(&source, Pacing::new(), |m| {
        let items = (0..3_000).map(|number| m.alloc(Item { number })).collect();
        let count = Counted::new(1);
        Table { count, items }
    });
    let saved = SavedHeap::of(&mut heap).expect("it is saved");
    let small = Arc::new(PageSource::bounded(4));
    let failed = saved.restored::<InState>(&small, Pacing::new());
    let error = failed.expect_err("it has more pages").to_string();
    assert!(error.contains("no memory"), "{error}");
    assert_eq!(small.stats().pages, 0);
}

root!(Numbers = Vec<Gc<'gc, Mut<u64>>>);

/// No heap has so many spans; and there must be numbers left.
#[test]
fn a_span_with_a_number_near_the_end_is_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Numbers>::new(&source, Pacing::new(), |m| vec![m.alloc(Mut::new(1))]);
    let mut saved = SavedHeap::of(&mut heap).expect("it is saved");
    let (_, holds, blocks, content): SpanParts = from_bytes(&saved.spans[0]).expect("a span");
    for number in [u32::MAX, u32::MAX >> 3, (u32::MAX >> 3) - 1, u32::MAX >> 4] {
        let span: SpanParts = (number, holds, blocks.clone(), content.clone());
        saved.spans[0] = to_bytes(&span).expect("a span");
        let failed = saved.restored::<Numbers>(&source, Pacing::new());
        let error = failed.expect_err("no span has it").to_string();
        assert!(error.contains("no span can have"), "{error}");
    }
}
