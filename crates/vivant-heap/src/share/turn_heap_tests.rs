//! Packing by [`TurnHeap`] in the middle of an operation on its heap.

use super::parcel::TurnHeap;
use crate::{CountAudit, Heap, Leaf, Pacing, PageSource, Parcel, Root, Val};
use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};

type News = Val<'static, str>;
type Sent = Arc<Mutex<Vec<Parcel<News>>>>;

thread_local! {
    static PACKER: Cell<Option<TurnHeap>> = const { Cell::new(None) };
}

/// Sends its parcel's content in its destructor.
struct Late(Option<Parcel<News>>, Sent);

impl Drop for Late {
    fn drop(&mut self) {
        let packer = PACKER.get().expect("it ends in a turn");
        let parcel = self.0.take().expect("it ends once");
        // SAFETY: the turn of the packer has not ended.
        let parcel = parcel.open(|news| unsafe { packer.pack(news) });
        self.1.lock().unwrap().push(parcel);
    }
}

struct Lates;

impl Root for Lates {
    type Of<'gc> = Vec<Val<'gc, Leaf<Late>>>;
}

/// The caller of the destructor has the heap exclusively: the destructor's code must not access
/// it, which Miri would detect too.
#[test]
fn a_destructor_in_an_allocation_packs_without_the_heap() {
    let source = Arc::new(PageSource::new());
    let sent = Sent::default();
    let mut paper = Heap::<Lates>::new(&source, Pacing::default(), |_| Vec::new());
    let mut heap = Heap::<Lates>::new(&source, Pacing::default(), |_| Vec::new());
    let late = |parcel| Leaf(Late(Some(parcel), sent.clone()));
    let parcel = paper.turn(|m, _| m.pack::<News>(m.val_str("rain")));
    heap.turn(|m, lates| lates.push(m.val(late(parcel))));
    heap.turn(|_, lates| lates.clear());
    heap.collect();
    let parcel = heap.turn(|m, _| {
        PACKER.set(Some(TurnHeap::new(m)));
        // As large as the leaf, so that it gets the leaf's block.
        let after = m.val([7_u64; size_of::<Late>() / 8]);
        PACKER.set(None);
        m.pack::<Val<'static, [u64; size_of::<Late>() / 8]>>(after)
    });
    assert_eq!(sent.lock().unwrap()[0].look(|news| news.len()), 4);
    assert_eq!((heap.imports(), heap.stats().incs), (0, 0));
    assert_eq!(CountAudit::check(), Ok(()));
    drop(parcel);
    sent.lock().unwrap().clear();
    assert!(heap.is_unshared() && paper.is_unshared());
}

/// Packs its content when it is woken.
struct Caller(Mutex<Option<Late>>);

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take());
    }
}

/// The sender of a delta is in the middle of a count change when the waker is called.
#[test]
fn a_waker_packs_without_the_heap() {
    let source = Arc::new(PageSource::new());
    let sent = Sent::default();
    let [mut paper, mut other, mut heap] =
        [(); 3].map(|()| Heap::<Lates>::new(&source, Pacing::default(), |_| Vec::new()));
    let parcel = other.turn(|m, _| m.pack::<News>(m.val_str("snow")));
    let late = Mutex::new(Some(Late(Some(parcel), sent.clone())));
    paper.wake_by(Waker::from(Arc::new(Caller(late))));
    let news = paper.turn(|m, _| m.pack::<News>(m.val_str("rain")));
    let news = heap.turn(|m, _| {
        PACKER.set(Some(TurnHeap::new(m)));
        // The import has a weight of one: packing sends an INC.
        let news = m.pack::<News>(m.unpack(news));
        PACKER.set(None);
        news
    });
    assert_eq!(sent.lock().unwrap()[0].look(|news| news.len()), 4);
    drop(news);
    sent.lock().unwrap().clear();
    assert_eq!(CountAudit::check(), Ok(()));
}
