//! A graph of objects of all kinds, and the comparison of two graphs.

use std::collections::HashMap;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object, Val};

pub(super) type Shared<'gc> = Gc<'gc, Mut<Branch<'gc>>>;

/// An object that changes in place.
#[derive(Object, Saved)]
pub(super) struct Branch<'gc> {
    pub(super) number: u64,
    pub(super) text: Gc<'gc, str>,
    pub(super) to: Vec<Shared<'gc>>,
    pub(super) pair: Option<Gc<'gc, Pair<'gc>>>,
    pub(super) row: Gc<'gc, [Option<Gc<'gc, Pair<'gc>>>]>,
    pub(super) bytes: Gc<'gc, [u8]>,
    pub(super) page: Option<Val<'gc, Page<'gc>>>,
}

/// An object that never changes.
#[derive(Object, Saved)]
pub(super) struct Pair<'gc> {
    pub(super) label: String,
    pub(super) left: Option<Gc<'gc, Pair<'gc>>>,
    pub(super) right: Option<Shared<'gc>>,
    pub(super) numbers: Gc<'gc, Mut<Vec<u64>>>,
}

/// A shared object.
#[derive(Object, Saved)]
pub(super) struct Page<'gc> {
    pub(super) text: Val<'gc, str>,
    pub(super) numbers: Val<'gc, [u64]>,
    pub(super) before: Option<Val<'gc, Page<'gc>>>,
}

root!(pub(super) Graph = Vec<Shared<'gc>>);

/// Compares two graphs: which object of one stands for which of the other.
#[derive(Default)]
pub(super) struct Comparison {
    stands_for: HashMap<usize, usize>,
    stood_for: HashMap<usize, usize>,
}

fn address<T: ?Sized>(of: &T) -> usize {
    std::ptr::from_ref(of).cast::<u8>().addr()
}

impl Comparison {
    /// Whether these objects are met for the first time. Panics if one of them stands for another.
    fn is_new(&mut self, one: usize, other: usize) -> bool {
        let before = self.stands_for.insert(one, other);
        let back = self.stood_for.insert(other, one);
        assert_eq!(before.is_some(), back.is_some(), "another object");
        assert!(before.is_none_or(|it| it == other), "another object");
        before.is_none()
    }

    /// Panics if the graphs differ. Returns the number of objects.
    pub(super) fn graphs<'a, 'b>(one: &[Shared<'a>], other: &[Shared<'b>]) -> usize {
        let mut comparison = Comparison::default();
        let mut open: Vec<(Shared<'a>, Shared<'b>)> = Vec::new();
        let (mut pairs, mut pages) = (Vec::new(), Vec::new());
        assert_eq!(one.len(), other.len());
        open.extend(one.iter().copied().zip(other.iter().copied()));
        loop {
            if let Some((a, b)) = open.pop() {
                if !comparison.is_new(address(Gc::as_ref(a)), address(Gc::as_ref(b))) {
                    continue;
                }
                let (a, b) = (a.borrow(), b.borrow());
                assert_eq!(a.number, b.number);
                comparison.texts(a.text, b.text);
                comparison.bytes(a.bytes, b.bytes);
                assert_eq!(a.to.len(), b.to.len());
                open.extend(a.to.iter().copied().zip(b.to.iter().copied()));
                assert_eq!(a.pair.is_some(), b.pair.is_some());
                pairs.extend(a.pair.zip(b.pair));
                assert_eq!(a.page.is_some(), b.page.is_some());
                pages.extend(a.page.zip(b.page));
                if comparison.is_new(address(Gc::as_ref(a.row)), address(Gc::as_ref(b.row))) {
                    assert_eq!(a.row.len(), b.row.len());
                    for (a, b) in a.row.iter().zip(b.row.iter()) {
                        assert_eq!(a.is_some(), b.is_some());
                        pairs.extend(a.zip(*b));
                    }
                }
            } else if let Some((a, b)) = pairs.pop() {
                if !comparison.is_new(address(Gc::as_ref(a)), address(Gc::as_ref(b))) {
                    continue;
                }
                assert_eq!(a.label, b.label);
                assert_eq!(a.left.is_some(), b.left.is_some());
                pairs.extend(a.left.zip(b.left));
                assert_eq!(a.right.is_some(), b.right.is_some());
                open.extend(a.right.zip(b.right));
                let (x, y) = (a.numbers, b.numbers);
                if comparison.is_new(address(Gc::as_ref(x)), address(Gc::as_ref(y))) {
                    assert_eq!(*x.borrow(), *y.borrow());
                }
            } else if let Some((a, b)) = pages.pop() {
                let (a, b) = (Val::as_ref(a), Val::as_ref(b));
                if !comparison.is_new(address(a), address(b)) {
                    continue;
                }
                comparison.is_new(address(&*a.text), address(&*b.text));
                comparison.is_new(address(&*a.numbers), address(&*b.numbers));
                assert_eq!((&*a.text, &*a.numbers), (&*b.text, &*b.numbers));
                assert_eq!(a.before.is_some(), b.before.is_some());
                pages.extend(a.before.zip(b.before));
            } else {
                return comparison.stands_for.len();
            }
        }
    }

    fn texts(&mut self, a: Gc<'_, str>, b: Gc<'_, str>) {
        self.is_new(address(Gc::as_ref(a)), address(Gc::as_ref(b)));
        assert_eq!(&*a, &*b);
    }

    fn bytes(&mut self, a: Gc<'_, [u8]>, b: Gc<'_, [u8]>) {
        self.is_new(address(Gc::as_ref(a)), address(Gc::as_ref(b)));
        assert_eq!(&*a, &*b);
    }
}
