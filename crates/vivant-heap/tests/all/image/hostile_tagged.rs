//! What hostile programs and files can do with images of tags, and with restores that fail.

use super::cut::{self, Image};
use std::cell::RefCell;
use std::sync::Arc;
use vivant_codec::{Comparison, Saved, Shapes};
use vivant_heap::*;

#[derive(Object, Saved)]
struct Link<'gc> {
    number: u64,
    before: Option<Val<'gc, Link<'gc>>>,
}

root!(Links = Vec<Val<'gc, Link<'gc>>>);

fn ends<R: Root>(heaps: impl IntoIterator<Item = Heap<R>>) {
    let mut left: Vec<_> = heaps.into_iter().filter_map(Heap::end).collect();
    for _ in 0..1000 {
        left = left
            .into_iter()
            .filter_map(DetachedHeap::drain_all)
            .collect();
    }
    assert!(left.is_empty(), "nothing has its objects");
}

/// A chain of so many links that goes to and fro between two heaps.
fn chain(source: &Arc<PageSource>, links: u64) -> [Image; 2] {
    let mut heaps = [(); 2].map(|()| Heap::<Links>::new(source, Pacing::new(), |_| Vec::new()));
    let mut last: Option<Parcel<Val<'static, Link<'static>>>> = None;
    for number in 0..links {
        let before = last.take();
        let heap = &mut heaps[(number % 2) as usize];
        last = Some(heap.turn(|m, _| {
            let before = before.map(|it| m.unpack(it));
            m.pack(m.val(Link { number, before }))
        }));
    }
    let last = last.expect("there are links");
    heaps[0].turn(|m, state| state.push(m.unpack(last)));
    let images = heaps.each_mut().map(|heap| cut::saved(heap, source));
    ends(heaps);
    images
}

#[test]
fn chains_of_failed_restores_leave_nothing() {
    let source = Arc::new(PageSource::new());
    let links = if cfg!(miri) { 9 } else { 100 };
    let images = chain(&source, links);
    for finishes in [false, true] {
        cut::restoring::<Links, _>(&source, &images, |heaps| {
            drop(cut::state::<Links>(&heaps, &images[0]).expect("a state"));
            match finishes {
                true => drop(heaps.finish(&[]).expect("all is loaded")),
                false => drop(heaps),
            }
        });
        assert_eq!(source.stats().pages, 0);
    }
}

root!(Reading = (Option<Iso<Vec<Val<'static, str>>>>, u64));

/// A region in the state counts an object of the heap.
#[test]
fn a_state_that_outlives_its_failed_restore_leaves_nothing() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Reading>::new(&source, Pacing::new(), |m| {
        let text = m.pack::<Val<'static, str>>(m.val_str("a text"));
        (Some(m.iso(|r| vec![r.unpack(text)])), 7)
    });
    let image = [cut::saved(&mut heap, &source)];
    ends([heap]);
    cut::restoring::<Reading, _>(&source, &image, |heaps| {
        let state = cut::state::<Reading>(&heaps, &image[0]).expect("a state");
        drop(heaps);
        drop(state);
    });
    assert_eq!(source.stats().pages, 0);
}

#[derive(Object, Saved)]
struct Holder {
    region: Iso<Inner<'static>>,
}

#[derive(Object, Saved)]
struct Inner<'gc> {
    before: Option<Tag<'gc, Holder>>,
}

root!(Holders = Option<Tag<'gc, Holder>>);

/// The regions do not lie in each other.
#[test]
fn regions_that_tags_lead_to_are_not_nested() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Holders>::new(&source, Pacing::new(), |m| {
        let mut last: Option<Tag<'_, Holder>> = None;
        for _ in 0..if cfg!(miri) { 20 } else { 5000 } {
            let before = last.map(|tag| m.pack::<Tag<'static, Holder>>(tag));
            let region = m.iso(|r| Inner {
                before: before.map(|it| r.unpack(it)),
            });
            last = Some(m.tag(m.alloc(Holder { region })));
        }
        last
    });
    let image = [cut::saved(&mut heap, &source)];
    cut::restoring::<Holders, _>(&source, &image, |heaps| {
        let state = cut::state::<Holders>(&heaps, &image[0]).expect("a state");
        let mut heaps = heaps.finish(&[]).expect("all is loaded");
        let mut restored = heaps.heap(state, None);
        restored.turn(|m, last| {
            let last = last.expect("there are some").open(m).expect("its own");
            assert!(last.region.stats().pages > 0 || !cfg!(miri));
        });
        ends([restored]);
    });
    ends([heap]);
    assert_eq!(source.stats().pages, 0);
}

#[derive(Saved)]
struct Slot(RefCell<Option<Iso<Back<'static>>>>);

leaf!([] Slot);

#[derive(Object, Saved)]
struct Around {
    slot: Slot,
}

#[derive(Object, Saved)]
struct Back<'gc> {
    to: Tag<'gc, Around>,
}

root!(Arounds = (Gc<'gc, Around>, u64));

#[test]
fn an_object_may_have_a_region_with_its_own_tag() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Arounds>::new(&source, Pacing::new(), |m| {
        let slot = Slot(RefCell::new(None));
        let around = m.alloc(Around { slot });
        let tag = m.pack::<Tag<'static, Around>>(m.tag(around));
        let region = m.iso(|r| Back { to: r.unpack(tag) });
        *around.slot.0.borrow_mut() = Some(region);
        (around, 7)
    });
    let image = [cut::saved(&mut heap, &source)];
    cut::restoring::<Arounds, _>(&source, &image, |heaps| {
        let state = cut::state::<Arounds>(&heaps, &image[0]).expect("a state");
        let mut heaps = heaps.finish(&[]).expect("all is loaded");
        let mut restored = heaps.heap(state, None);
        restored.turn(|m, (around, _)| {
            let own = m.tag(*around).id();
            let mut slot = around.slot.0.borrow_mut();
            let region = slot.as_mut().expect("it is there");
            region.open(|_, back| assert!(back.to.id() == own));
            *slot = None;
        });
        ends([restored]);
    });
    heap.turn(|_, (around, _)| *around.slot.0.borrow_mut() = None);
    ends([heap]);
    assert_eq!(source.stats().pages, 0);
}

/// A watch behind the last number would outlive its object.
#[test]
fn a_death_watch_with_a_large_number_is_refused() {
    let source = Arc::new(PageSource::new());
    let shapes = Shapes::default();
    let comparison = Comparison::new(&shapes);
    let restored = |number| {
        let watch = WatchRecord {
            number,
            token: 0,
            object: None,
        };
        let heap = HeapSpans {
            number: 0,
            pacing: Pacing::new(),
            spans: Vec::new(),
            watches: vec![watch],
        };
        let restored = RestoredHeaps::new(&source, (&comparison, &[]), HeapNumbers::New, [heap]);
        restored.map(drop).map_err(|error| error.to_string())
    };
    restored(7).expect("a right number");
    let error = restored(u64::MAX).expect_err("no watch has it");
    assert!(error.contains("a number that no watch can have"), "{error}");
}
