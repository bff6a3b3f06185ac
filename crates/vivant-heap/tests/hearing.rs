//! What others leave for a heap is heard in pieces.

use std::sync::Arc;
use vivant_heap::{Heap, Pacing, Parcel, Remains, Root, Source, Val};

struct Texts;

impl Root for Texts {
    type Of<'gc> = Vec<Val<'gc, str>>;
}

type One = Val<'static, str>;

const MANY: usize = if cfg!(miri) { 40 } else { 3000 };
const PIECE: usize = MANY / 20;

fn heap(source: &Arc<Source>, pacing: Pacing) -> Heap<Texts> {
    Heap::new(source, pacing, |_| Vec::new())
}

/// Has so many texts, each of them in a parcel too.
fn press(source: &Arc<Source>, pacing: Pacing) -> (Heap<Texts>, Vec<Parcel<One>>) {
    let mut heap = heap(source, pacing);
    let parcels = heap.turn(|m, state| {
        state.extend((0..MANY).map(|number| m.val_str(&format!("{number:0100}"))));
        state.iter().map(|text| m.pack::<One>(*text)).collect()
    });
    (heap, parcels)
}

/// Hears until all is heard. In how many pieces, and whether something was given up.
fn heard(heap: &mut Heap<Texts>) -> (usize, bool) {
    let (mut pieces, mut less) = (0, false);
    while heap.is_told() {
        less |= heap.heed_some(PIECE);
        pieces += 1;
        heap.verify().unwrap();
        // What is not heard of yet lives.
        heap.turn(|_, state| assert!(state.iter().all(|text| text.len() == 100)));
    }
    (pieces, less)
}

#[test]
fn what_many_leave_is_heard_in_pieces() {
    let source = Arc::new(Source::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    assert!(!press.is_told());
    drop(parcels);
    // Each has left something of its own, that is put in order first.
    assert_eq!(heard(&mut press), (2 * MANY / PIECE, true));
    assert!(press.is_alone());
}

#[test]
fn what_one_leaves_at_once_is_heard_in_pieces() {
    let source = Arc::new(Source::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    let mut reader = heap(&source, Pacing::default());
    reader.turn(|m, state| state.extend(parcels.into_iter().map(|parcel| m.unpack(parcel))));
    assert!(!press.is_told());
    reader.turn(|_, state| state.clear());
    reader.collect();
    let (pieces, less) = heard(&mut press);
    assert!(less && pieces > MANY / PIECE, "{pieces}");
    assert!(press.is_alone());
}

/// What comes meanwhile is heard after it, and nothing is lost if a mark needs all at once.
#[test]
fn a_mark_at_once_hears_all() {
    let source = Arc::new(Source::new());
    let (mut press, mut parcels) = press(&source, Pacing::default());
    press.turn(|_, state| state.clear());
    drop(parcels.split_off(MANY / 2));
    assert!(!press.heed_some(PIECE), "they are turned over first");
    assert!(press.is_hearing());
    drop(parcels);
    press.collect();
    press.sweep();
    assert!(!press.is_told());
    assert_eq!(press.stats().live, 0);
}

#[test]
fn a_mark_beside_turns_begins_when_all_is_heard() {
    let source = Arc::new(Source::new());
    // A mark is due at once, and is a large one.
    let (mut press, parcels) = press(&source, Pacing::new().first(1));
    press.turn(|m, state| state.extend((0..3).map(|_| m.val_str(&"long".repeat(50_000)))));
    let left = parcels.len();
    drop(parcels);
    let mut pieces = 0;
    while press.stats().begun == 0 {
        press.pace();
        pieces += 1;
        assert!(pieces < 100, "no mark begins");
        assert_eq!(press.is_hearing(), press.stats().begun == 0);
    }
    // By 1,024 changes.
    assert_eq!(pieces, 2 * left / 1024 + 1);
}

#[test]
fn an_orphan_hears_in_pieces() {
    let source = Arc::new(Source::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    // Too much for it to go at once.
    let long = press.turn(|m, _| m.pack::<One>(m.val_str(&"long".repeat(100_000))));
    let mut remains = Remains::Owes(press.end().expect("parcels have it"));
    while let Remains::Owes(orphan) = remains {
        remains = orphan.step(&mut PIECE.clone());
    }
    let Remains::Rests(orphan) = remains else {
        panic!("parcels have it");
    };
    drop(parcels);
    let (mut hears, mut remains) = (0, orphan.step(&mut PIECE.clone()));
    while let Remains::Owes(orphan) = remains {
        hears += 1;
        remains = orphan.step(&mut PIECE.clone());
    }
    assert!(hears >= 2 * MANY / PIECE, "{hears}");
    drop(long);
    match remains {
        Remains::Rests(orphan) => assert!(orphan.heed().is_none()),
        _ => panic!("a parcel has it"),
    }
    assert_eq!(source.stats().pages, 0);
}
