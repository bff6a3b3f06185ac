//! Regions that are split, and have another root.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use vivant_heap::{
    Gc, Heap, Iso, Leaf, Ledger, Mut, Mutator, Object, Pacing, Root, Source, Stress, Val, Weak,
    When, gc,
};

/// Counts ends.
struct Counted(Arc<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Object)]
struct Node<'gc> {
    value: u64,
    next: Vec<Gc<'gc, Mut<Node<'gc>>>>,
    beside: Option<Weak<'gc, Mut<Node<'gc>>>>,
    title: Option<Val<'gc, str>>,
    log: gc::Vec<'gc, Gc<'gc, u64>>,
    words: Option<Gc<'gc, [Gc<'gc, str>]>>,
    counted: Leaf<Counted>,
}

type Tree<'gc> = Gc<'gc, Mut<Node<'gc>>>;
type TreeIso = Iso<Tree<'static>>;
type Pair = Iso<(Tree<'static>, Tree<'static>)>;

struct Ends(Arc<AtomicU32>);

fn stressed(when: When) -> Pacing {
    match cfg!(miri) {
        // An interpreter takes minutes for what looks after itself at each step.
        true => Pacing::new().nursery(1024).first(8192),
        false => Pacing::new().stressed(Stress::new(when, 5)),
    }
}

impl Ends {
    fn node<'r>(&self, r: &Mutator<'r>, value: u64, next: Vec<Tree<'r>>) -> Tree<'r> {
        let mut log = gc::Vec::new();
        log.push(r, r.alloc(value));
        r.alloc(Mut::new(Node {
            value,
            next,
            beside: None,
            title: None,
            log,
            words: Some(r.alloc_slice([r.alloc_str("a word")])),
            counted: Leaf(Counted(self.0.clone())),
        }))
    }

    /// A ring of so many below each of two trees.
    fn pair(&self, source: &Arc<Source>, stress: When, length: u64) -> Pair {
        Pair::paced(source, stressed(stress), |r| {
            let ring = || {
                let last = self.node(r, 1, Vec::new());
                let first = (1..length).fold(last, |next, _| self.node(r, 1, vec![next]));
                last.borrow_mut(r).next.push(first);
                first
            };
            (ring(), ring())
        })
    }
}

fn next<'gc>(of: Tree<'gc>) -> Tree<'gc> {
    of.borrow().next[0]
}

/// By a weak reference.
fn point<'gc>(m: &Mutator<'gc>, of: Tree<'gc>, to: Tree<'gc>) {
    of.borrow_mut(m).beside = Some(Weak::new(m, to));
}

/// The values of a ring.
fn sum(first: Tree<'_>) -> u64 {
    let (mut at, mut sum) = (first, 0);
    loop {
        let node = at.borrow();
        assert_eq!(node.log.get(0).map(|it| **it), Some(1));
        assert_eq!(&*node.words.unwrap()[0], "a word");
        sum += node.value;
        let next = node.next[0];
        if Gc::ptr_eq(next, first) {
            return sum;
        }
        drop(node);
        at = next;
    }
}

#[test]
fn two_parts_are_two_regions() {
    let (modes, lengths): (&[When], &[u64]) = match cfg!(miri) {
        true => (&[When::All], &[4]),
        false => (&[When::Paced, When::Young, When::All], &[1, 7, 600]),
    };
    for &when in modes {
        let source = Arc::new(Source::new());
        let ends = Ends(Arc::default());
        for &length in lengths {
            let mut pair = ends.pair(&source, when, length);
            pair.open(|r, (_, part)| {
                let young = ends.node(r, 0, Vec::new());
                part.borrow_mut(r).next.push(young);
            });
            let before = ends.0.load(Ordering::Relaxed);
            let (mut rest, mut part): (TreeIso, TreeIso) = pair.split().unwrap();
            assert_eq!(
                ends.0.load(Ordering::Relaxed),
                before,
                "nothing ends by that"
            );
            for iso in [&mut rest, &mut part] {
                assert_eq!(iso.open(|_, root| sum(*root)), length);
                iso.open(|r, root| root.borrow_mut(r).value += 1);
                iso.collect();
                Ledger::default().iso(iso).unwrap();
                assert_eq!(iso.open(|_, root| sum(*root)), length + 1);
            }
            drop(rest);
            assert_eq!(ends.0.load(Ordering::Relaxed) - before, length as u32);
            let part = thread::spawn(move || {
                part.open(|_, root| assert_eq!(sum(*root), length + 1));
                part
            });
            drop(part.join().unwrap());
            assert_eq!(
                ends.0.load(Ordering::Relaxed) - before,
                2 * length as u32 + 1
            );
        }
        assert_eq!(source.stats().pages, 0);
    }
}

#[test]
fn what_both_parts_reach_is_not_split() {
    let source = Arc::new(Source::new());
    let ends = Ends(Arc::default());
    let mut pair = ends.pair(&source, When::All, 5);
    pair.open(|r, (rest, part)| part.borrow_mut(r).next.push(rest.borrow().next[0]));
    let refused = pair.split().unwrap_err();
    assert!(refused.shared.contains("Node"), "{}", refused.shared);
    assert!(
        refused
            .to_string()
            .contains("both parts reach the same object, a `")
    );
    let mut whole = refused.whole;
    Ledger::default().iso(&mut whole).unwrap();
    whole.collect();
    whole.open(|r, (rest, part)| {
        assert_eq!((sum(*rest), sum(*part)), (5, 5));
        part.borrow_mut(r).next.pop();
    });
    let (mut rest, mut part) = whole.split().unwrap();
    for iso in [&mut rest, &mut part] {
        assert_eq!(iso.open(|_, root| sum(*root)), 5);
    }
}

#[test]
fn weak_references_follow_into_their_part_and_no_further() {
    let source = Arc::new(Source::new());
    let ends = Ends(Arc::default());
    let mut pair = ends.pair(&source, When::All, 4);
    pair.open(|r, (rest, part)| {
        point(r, *rest, next(*rest));
        point(r, next(*rest), *part);
        point(r, *part, next(*part));
        point(r, next(*part), *rest);
    });
    let (rest, part) = pair.split().unwrap();
    for mut iso in [rest, part] {
        for _ in 0..2 {
            iso.open(|m, root| {
                let next = root.borrow().next[0];
                let beside = root.borrow().beside.unwrap().upgrade(m).unwrap();
                assert!(Gc::ptr_eq(beside, next));
                assert!(next.borrow().beside.unwrap().upgrade(m).is_none());
            });
            iso.collect();
        }
    }
}

struct Titles;

impl Root for Titles {
    type Of<'gc> = Vec<Val<'gc, str>>;
}

#[test]
fn each_part_counts_what_it_refers_to() {
    let source = Arc::new(Source::new());
    let ends = Ends(Arc::default());
    let pacing = stressed(When::Paced);
    let mut a = Heap::<Titles>::new(&source, pacing, |_| Vec::new());
    let mut pair = ends.pair(&source, When::Paced, 3);
    a.turn(|m, _| {
        pair.open_in(m, |r, (rest, part)| {
            let (both, own) = (r.val_str("of both"), r.val_str("of the part alone"));
            rest.borrow_mut(r).title = Some(both);
            part.borrow_mut(r).title = Some(both);
            let next = part.borrow().next[0];
            next.borrow_mut(r).title = Some(own);
        });
    });
    let (mut rest, mut part) = pair.split().unwrap();
    for _ in 0..3 {
        let mut ledger = Ledger::default();
        ledger.heap(&mut a).unwrap();
        ledger.iso(&mut rest).unwrap();
        ledger.iso(&mut part).unwrap();
        ledger.check().unwrap();
        a.collect();
        a.sweep();
        rest.collect();
        part.collect();
    }
    assert_eq!(a.exports(), 2);
    part.open(|_, root| {
        assert_eq!(&*root.borrow().title.unwrap(), "of both");
        let next = root.borrow().next[0];
        assert_eq!(&*next.borrow().title.unwrap(), "of the part alone");
    });
    drop(part);
    a.heed();
    a.collect();
    assert_eq!(a.exports(), 1);
    rest.open(|_, root| assert_eq!(&*root.borrow().title.unwrap(), "of both"));
    drop(rest);
    assert!(a.is_alone());
}

#[test]
fn large_objects_move_too() {
    type Rows = (Gc<'static, [u64]>, Vec<Gc<'static, [Gc<'static, u64>]>>);
    let source = Arc::new(Source::new());
    let length = if cfg!(miri) { 300 } else { 132_000 };
    let pair = Iso::<Rows>::paced(&source, stressed(When::Paced), |r| {
        let numbers = (0..length).map(|number| r.alloc(number));
        (
            r.alloc_iter(0..length),
            vec![r.alloc_iter(numbers), r.alloc_slice([])],
        )
    });
    let (mut rest, mut part) = pair.split().unwrap();
    rest.collect();
    part.collect();
    rest.open(|_, row| assert!(row.iter().copied().eq(0..length)));
    part.open(|_, rows| assert!(rows[0].iter().map(|number| **number).eq(0..length)));
    drop((rest, part));
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn another_root_is_all_that_stays() {
    let source = Arc::new(Source::new());
    let ends = Ends(Arc::default());
    let pair = ends.pair(&source, When::All, 3);
    let mut count = pair.map::<u64>(|_, (rest, part)| sum(rest) + sum(part));
    count.collect();
    assert_eq!((count.open(|_, count| *count), count.stats().alive), (6, 0));
    let pair = ends.pair(&source, When::All, 3);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pair.map::<u64>(|_, _| panic!("on purpose"))
    }));
    assert!(panicked.is_err());
    drop(count);
    assert_eq!(ends.0.load(Ordering::Relaxed), 12);
    assert_eq!(source.stats().pages, 0);
}

/// Objects of a few bytes that have a region each: the holder marks before thousands of these are garbage.
#[test]
fn a_forgotten_region_weighs_what_its_pages_do() {
    struct Isos;
    impl Root for Isos {
        type Of<'gc> = Option<Gc<'gc, Mut<Iso<Vec<Gc<'static, [u64]>>>>>>;
    }
    let source = Arc::new(Source::new());
    let mut heap = Heap::<Isos>::new(&source, Pacing::new(), |_| None);
    let rounds = if cfg!(miri) { 6 } else { 200 };
    for _ in 0..rounds {
        heap.turn(|m, state| {
            let iso = m.iso::<Vec<Gc<'static, [u64]>>>(|_| Vec::new());
            let iso = m.alloc(Mut::new(iso));
            iso.borrow_mut(m)
                .open_in(m, |r, rows| rows.push(r.alloc_iter(0..8192)));
            *state = Some(iso);
        });
        heap.pace();
        let pages = source.stats().pages * vivant_heap::PAGE;
        assert!(pages < 4 << 20, "{pages} bytes of pages");
    }
    assert!(heap.stats().major as usize >= rounds / 8);
    heap.turn(|m, _| drop(m.iso::<Gc<'static, u64>>(|r| r.alloc(1))));
    assert!(heap.stats().pinned > 0);
    heap.collect();
    assert_eq!(heap.stats().pinned, 0);
}

/// A split marks everything, and gives up the mark that ran: one between two of these is the first in a row each time, and nobody goes through it.
#[test]
fn a_mark_is_given_up_after_a_split_as_before_it() {
    let source = Arc::new(Source::new());
    let ends = Ends(Arc::default());
    let pacing = Pacing::new().first(1).growth(1.05);
    let mut pair = Pair::paced(&source, pacing, |r| {
        let both = ends.node(r, 1, Vec::new());
        (both, both)
    });
    for splits in 1..=3 {
        while pair.stats().begun < splits {
            pair.open(|r, (both, _)| {
                let words = vec![r.alloc_str("word"); 50_000];
                both.borrow_mut(r).words = Some(r.alloc_slice(words));
            });
        }
        assert_eq!(pair.stats().given_up, splits - 1);
        pair = pair.split().expect_err("both reach it").whole;
        assert_eq!(pair.stats().given_up, splits);
    }
}
