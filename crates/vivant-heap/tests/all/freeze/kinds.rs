//! Each kind of field that a graph can have, frozen.

use super::stressed;
use crate::heaps::Collect;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant_heap::{Freeze, Gc, Heap, Ice, Iso, Mut, Object, Pacing, PageSource, Val, When};

/// Each kind of part.
#[derive(Object, Freeze)]
#[object(frozen = Seen)]
pub(crate) struct Kinds<'gc, T> {
    generic: T,
    own: Mut<u8>,
    text: Gc<'gc, str>,
    bytes: Gc<'gc, [u8]>,
    slice: Gc<'gc, [Gc<'gc, Mut<u64>>]>,
    nested: Vec<Option<Gc<'gc, u64>>>,
    array: [Gc<'gc, u64>; 2],
    boxed: Box<Gc<'gc, u64>>,
    boxes: Box<[(u64, Gc<'gc, u64>)]>,
    deque: VecDeque<Gc<'gc, u64>>,
    hashed: HashMap<String, Gc<'gc, Mut<u64>>>,
    ordered: BTreeMap<u64, Vec<Gc<'gc, u64>>>,
    result: Result<Gc<'gc, u64>, String>,
    plain: Plain,
    /// A leaf.
    #[object(leaf)]
    pub(crate) leaf: AtomicU64,
}

/// Frozen as it is.
#[derive(Object, Clone, Copy, PartialEq, Debug)]
struct Plain {
    at: (f64, f64),
}

#[derive(Object, Freeze)]
enum Shape<'gc> {
    /// A unit variant.
    Nothing,
    Circle {
        radius: f64,
    },
    Group(Vec<Gc<'gc, Mut<Self>>>, Plain),
}

impl FrozenShape<'_, '_> {
    fn circles(self) -> usize {
        match self {
            FrozenShape::Nothing => 0,
            FrozenShape::Circle { radius } => usize::from(radius > 0.0),
            FrozenShape::Group(shapes, plain) => {
                assert_eq!(plain.at, (1.0, 2.0));
                shapes.iter().map(|shape| shape.read().circles()).sum()
            }
        }
    }
}

#[test]
fn all_kinds_of_fields_are_read_unchanged() {
    root!(Any = Option<Val<'gc, Ice<Kinds<'gc, Gc<'gc, Mut<Shape<'gc>>>>>>>);
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Any>::new(&source, stressed(When::All), |_| None);
    let iso = a.turn(|m, _| {
        m.iso::<Kinds<'static, Gc<'static, Mut<Shape<'static>>>>>(|r| {
            let n = |number: u64| r.alloc(number);
            let circle = r.alloc(Mut::new(Shape::Circle { radius: 1.0 }));
            let group = r.alloc(Mut::new(Shape::Nothing));
            let inner = Shape::Group(vec![circle, circle], Plain { at: (1.0, 2.0) });
            group.set(r, inner);
            let nothing = r.alloc(Mut::new(Shape::Nothing));
            let whole = Shape::Group(vec![group, circle, nothing], Plain { at: (1.0, 2.0) });
            Kinds {
                generic: r.alloc(Mut::new(whole)),
                own: Mut::new(7),
                text: r.alloc_str("text"),
                bytes: r.alloc_slice(*b"bytes"),
                slice: r.alloc_slice([r.alloc(Mut::new(1)), r.alloc(Mut::new(2))]),
                nested: vec![None, Some(n(3))],
                array: [n(4), n(5)],
                boxed: Box::new(n(6)),
                boxes: Box::new([(7, n(8))]),
                deque: VecDeque::from([n(9)]),
                hashed: HashMap::from([("ten".to_owned(), r.alloc(Mut::new(10)))]),
                ordered: BTreeMap::from([(11, vec![n(12)])]),
                result: Ok(n(13)),
                plain: Plain { at: (0.5, 0.5) },
                leaf: AtomicU64::new(15),
            }
        })
    });
    a.turn(|m, root| *root = Some(iso.freeze(m)));
    a.pace();
    a.turn(|_, root| {
        let seen: Seen<'_, '_, _> = root.unwrap().read();
        assert_eq!(seen.generic.read().circles(), 3);
        assert_eq!(
            (seen.own, &*seen.text, &*seen.bytes),
            (7, "text", &b"bytes"[..])
        );
        let numbers: Vec<u64> = seen.slice.iter().map(|number| number.read()).collect();
        assert_eq!(numbers, [1, 2]);
        let nested: Vec<Option<u64>> = seen
            .nested
            .iter()
            .map(|it| it.read().map(|it| *it))
            .collect();
        assert_eq!(nested, [None, Some(3)]);
        assert_eq!((*seen.array[0], *seen.array[1], *seen.boxed), (4, 5, 6));
        let (number, eight) = seen.boxes[0].read();
        assert_eq!((number, *eight), (7, 8));
        assert_eq!((*seen.deque.0[0], seen.deque.1.len()), (9, 0));
        assert_eq!(seen.hashed.get("ten").unwrap().read(), 10);
        assert!(seen.hashed.get("eleven").is_none() && seen.hashed.len() == 1);
        let (key, values) = seen.ordered.iter().next().unwrap();
        assert_eq!((*key, *values.read()[0]), (11, 12));
        assert_eq!(*seen.result.unwrap(), 13);
        assert_eq!(*seen.plain, Plain { at: (0.5, 0.5) });
        assert_eq!(seen.leaf.fetch_add(1, Ordering::Relaxed), 15);
    });
    a.collect();
    a.turn(|_, root| assert_eq!(root.unwrap().read().leaf.load(Ordering::Relaxed), 16));
}

#[test]
fn large_young_and_written_objects_are_frozen() {
    root!(Rows = Vec<Val<'gc, [Val<'gc, Ice<Mut<Vec<u64>>>>]>>);
    type Row<'gc> = Gc<'gc, [Gc<'gc, Mut<Vec<u64>>>]>;
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Rows>::new(&source, Pacing::new(), |_| Vec::new());
    // A block, a large object, one of more than a chunk.
    let lengths: &[u64] = if cfg!(miri) {
        &[300]
    } else {
        &[1, 1000, 132_000]
    };
    for &length in lengths {
        let mut iso = Iso::<Row<'static>>::new(&source, |r| {
            r.alloc_iter((0..length).map(|number| r.alloc(Mut::new(vec![number]))))
        });
        for round in 0..3 {
            if round == 1 {
                iso.collect();
            }
            iso.open(|r, row| row[0].borrow_mut(r).push(round));
            iso.open(|r, _| {
                r.alloc(Mut::new(vec![0_u64]));
            });
        }
        // Forgotten borrows do not prevent freezing.
        iso.open(|_, row| std::mem::forget(row[0].borrow()));
        a.turn(|m, rows| rows.push(*iso.freeze(m)));
        a.pace();
        a.verify().unwrap();
        a.collect();
        a.turn(|_, rows| {
            let row = rows.last().unwrap();
            assert_eq!(row.len() as u64, length);
            assert_eq!(*row[0].read(), [0, 0, 1, 2]);
            let last = row.last().unwrap().read();
            assert_eq!(last[0], length - 1);
        });
    }
    a.turn(|_, rows| rows.clear());
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}
