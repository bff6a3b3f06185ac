//! Shared objects in images: those of the heap that is saved, and those of another one.

use super::saved::SavedHeap;
use crate::heaps::{Collect, balanced};
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes, to_bytes};
use vivant_heap::{Gc, Heap, Mut, Object, Pacing, PageSource, Parcel, Val};

#[derive(Object, Saved)]
struct Page<'gc> {
    text: Val<'gc, str>,
    before: Option<Val<'gc, Page<'gc>>>,
}

root!(Book = Vec<Val<'gc, Page<'gc>>>);

type One = Val<'static, Page<'static>>;

fn book(source: &Arc<PageSource>, pages: usize) -> Heap<Book> {
    Heap::new(source, Pacing::new(), |m| {
        let mut before = None;
        let pages = (0..pages).map(|number| {
            let text = m.val_str(&format!("page {number}"));
            let page = m.val(Page { text, before });
            before = Some(page);
            page
        });
        pages.collect()
    })
}

#[test]
fn what_other_heaps_count_is_not_counted_in_a_restored_heap() {
    let source = Arc::new(PageSource::new());
    let (mut heap, mut reader) = (book(&source, 20), book(&source, 0));
    let parcel = heap.turn(|m, pages| m.pack::<One>(pages[19]));
    reader.turn(|m, pages| pages.push(m.unpack(parcel)));
    let saved = SavedHeap::of(&mut heap).expect("its objects are its own");
    let mut restored = saved
        .restored::<Book>(&source, Pacing::new())
        .expect("it is restored");
    assert!(restored.is_unshared());
    let parcel = restored.turn(|m, pages| m.pack::<One>(pages[19]));
    reader.turn(|m, pages| pages.push(m.unpack(parcel)));
    balanced(&mut [&mut heap, &mut reader, &mut restored]);
    restored.turn(|_, pages| pages.clear());
    restored.collect_and_sweep();
    reader.turn(|_, pages| {
        assert!(!Val::ptr_eq(pages[0], pages[1]));
        for last in pages.iter() {
            let all = std::iter::successors(Some(*last), |page| page.before);
            assert_eq!(all.count(), 20);
            assert_eq!(&*last.text, "page 19");
        }
        pages.clear();
    });
    reader.collect();
    balanced(&mut [&mut heap, &mut reader, &mut restored]);
    restored.collect_and_sweep();
    assert_eq!(restored.stats().live, 0);
}

#[test]
fn a_long_chain_of_shared_objects_needs_no_stack() {
    let length = if cfg!(miri) { 30 } else { 100_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = book(&source, length);
    heap.turn(|_, pages| drop(pages.drain(..length - 1)));
    let saved = SavedHeap::of(&mut heap).expect("a chain is saved");
    let restored = saved.restored::<Book>(&source, Pacing::new());
    restored.expect("it is restored").turn(|_, pages| {
        let all = std::iter::successors(Some(pages[0]), |page| page.before);
        assert_eq!(all.count(), length);
    });
}

/// A private object and a shared one of one type.
type Both<'gc> = (Gc<'gc, Page<'gc>>, Val<'gc, Page<'gc>>);

root!(Boths = Both<'gc>);

#[test]
fn private_and_shared_objects_of_one_type_are_restored() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Boths>::new(&source, Pacing::new(), |m| {
        let text = m.val_str("both have it");
        let before = None;
        let shared = m.val(Page { text, before });
        let before = Some(shared);
        (m.alloc(Page { text, before }), shared)
    });
    let saved = SavedHeap::of(&mut heap).expect("both are saved");
    let restored = saved.restored::<Boths>(&source, Pacing::new());
    restored
        .expect("both are restored")
        .turn(|_, (private, shared)| {
            assert!(Val::ptr_eq(
                private.before.expect("the shared one"),
                *shared
            ));
            assert!(Val::ptr_eq(private.text, shared.text));
        });
}

root!(Shelf = Option<Gc<'gc, Mut<Option<Val<'gc, Page<'gc>>>>>>);

/// Until foreign objects have names.
#[test]
fn a_reference_to_an_object_of_another_heap_is_refused() {
    let source = Arc::new(PageSource::new());
    let mut owner = book(&source, 1);
    let parcel = owner.turn(|m, pages| m.pack::<One>(pages[0]));
    let mut heap = Heap::<Shelf>::new(&source, Pacing::new(), |_| None);
    heap.turn(|m, shelf| *shelf = Some(m.alloc(Mut::new(Some(m.unpack(parcel))))));
    let error = SavedHeap::of(&mut heap).expect_err("it is not of this heap");
    assert!(error.type_name.contains("Page"), "{error}");
    assert!(error.to_string().contains("of another heap"), "{error}");
    heap.turn(|m, shelf| shelf.expect("a shelf").set(m, None));
    SavedHeap::of(&mut heap).expect("it has none any more");
}

#[test]
fn a_shared_object_where_no_heap_is_saved_is_refused() {
    let source = Arc::new(PageSource::new());
    let error = book(&source, 1).turn(|_, pages| to_bytes(pages));
    let error = error.expect_err("no heap").to_string();
    assert!(error.contains("where no heap is saved"), "{error}");
}

type Text = Val<'static, str>;

thread_local! {
    static PACKED: RefCell<Vec<Parcel<Text>>> = const { RefCell::new(Vec::new()) };
}

/// Packs what it refers to while it is loaded.
#[derive(Object)]
struct Packer<'gc> {
    text: Val<'gc, str>,
}

impl<'gc> Saved<'gc> for Packer<'gc> {
    const SHAPE: &'static Shape = <(Val<'gc, str>, u8) as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.text.save(out);
        7_u8.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Packer<'gc>, LoadError> {
        let text: Val<'gc, str> = Saved::load(input)?;
        PACKED.with(|all| all.borrow_mut().push(Parcel::new(text)));
        u8::load(input)?;
        Ok(Packer { text })
    }
}

root!(Packers = Packer<'gc>);

/// A heap that a restore gives up stays as long as a parcel refers to its objects: for good.
#[test]
fn what_a_load_has_packed_lives_whatever_comes_of_the_restore() {
    // So that Miri finds a path to the memory that stays.
    static KEPT: Mutex<Vec<Arc<PageSource>>> = Mutex::new(Vec::new());
    let source = Arc::new(PageSource::new());
    KEPT.lock().expect("no panic").push(source.clone());
    let mut heap = Heap::<Packers>::new(&source, Pacing::new(), |m| {
        let text = m.val_str("packed");
        Packer { text }
    });
    let saved = SavedHeap::of(&mut heap).expect("a packer is saved");
    let restored = saved.restored::<Packers>(&source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    let [parcel] = <[_; 1]>::try_from(PACKED.take()).expect("one load");
    restored.collect();
    assert_eq!(parcel.look(|text| text.len()), 6);
    assert!(!restored.is_unshared());
    drop(parcel);
    restored.collect();
    assert!(restored.is_unshared());
    let mut short = saved;
    short.state.pop();
    let failed = short.restored::<Packers>(&source, Pacing::new());
    assert!(failed.is_err());
    let [parcel] = <[_; 1]>::try_from(PACKED.take()).expect("one load");
    assert_eq!(parcel.look(|text| text.len()), 6);
}

/// A span of blocks, as it is encoded.
type SpanParts = (u32, (u32, u32), Vec<(u8, u32, u32)>, Vec<u8>);

/// A number of a variant that no program has written.
#[test]
fn a_reference_of_an_unknown_kind_is_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = book(&source, 1);
    let mut saved = SavedHeap::of(&mut heap).expect("it is saved");
    let spans = saved.spans.iter_mut();
    for span in spans {
        let (number, holds, blocks, mut content): SpanParts = from_bytes(span).expect("a span");
        content[0] += 1;
        *span = to_bytes(&(number, holds, blocks, content)).expect("a span");
    }
    let failed = saved.restored::<Book>(&source, Pacing::new());
    assert!(failed.is_err());
}
