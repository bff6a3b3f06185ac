//! Frozen regions: private objects become shared in place.

mod kinds;

use crate::heaps::Collect;
use crate::heaps::balanced;
use crate::trees::{Node, Tree, TreeIso, tree};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use vivant_heap::{Heap, Ice, Iso, Mut, Pacing, PageSource, Stress, Val, When};

type FrozenTree<'gc> = Val<'gc, Ice<Mut<Node<'gc>>>>;

fn sum(tree: FrozenTree<'_>) -> u64 {
    let node = tree.read();
    node.value + node.left.map_or(0, sum) + node.right.map_or(0, sum)
}

fn stressed(when: When) -> Pacing {
    match cfg!(miri) {
        // An interpreter takes minutes under stress.
        true => Pacing::new().nursery(1024).first(8192),
        false => Pacing::new().stressed(Stress::new(when, 3)),
    }
}

root!(Trees = Vec<FrozenTree<'gc>>);

fn trees(source: &Arc<PageSource>, when: When) -> Heap<Trees> {
    Heap::new(source, stressed(when), |_| Vec::new())
}

#[test]
fn frozen_graphs_are_read_by_other_heaps_and_destroyed_once() {
    let depth: u32 = if cfg!(miri) { 1 } else { 5 };
    // The nodes of a tree, and those below its root on one side.
    let (whole, half) = ((2 << depth) - 1, (1 << depth) - 1);
    let (modes, rounds): (&[When], u32) = match cfg!(miri) {
        true => (&[When::All], 2),
        false => (&[When::Paced, When::Young, When::All], 6),
    };
    for &when in modes {
        let source = Arc::new(PageSource::new());
        let ends = Arc::new(AtomicUsize::new(0));
        let (mut a, mut b) = (trees(&source, when), trees(&source, when));
        for round in 0..rounds {
            let pacing = match round {
                0 | 2 | 4 => stressed(when),
                _ => Pacing::new(),
            };
            let mut iso = TreeIso::paced(&source, pacing, |r| tree(r, depth.into(), Some(&ends)));
            if round % 3 == 0 {
                iso.collect();
            }
            iso.open(|r, root: &mut Tree<'_>| root.borrow_mut(r).right = None);
            let parcel = a.turn(|m, trees| {
                let root = *iso.freeze(m);
                assert_eq!(Val::owner(root), m.id());
                trees.push(root);
                m.pack::<FrozenTree<'static>>(root)
            });
            a.pace();
            balanced(&mut [&mut a, &mut b, &mut &parcel]);
            b.turn(|m, trees| trees.push(m.unpack(parcel)));
            b.pace();
            balanced(&mut [&mut a, &mut b]);
        }
        a.turn(|_, trees| {
            assert!(trees.iter().all(|tree| sum(*tree) == u64::from(half) + 1));
            trees.clear();
        });
        a.collect_and_sweep();
        assert_eq!(ends.load(Ordering::Relaxed), (rounds * half) as usize);
        // Components outlive their containers.
        b.turn(|_, trees| {
            for tree in &mut *trees {
                *tree = tree.read().left.unwrap();
            }
            assert!(trees.iter().all(|tree| sum(*tree) == u64::from(half)));
        });
        b.collect();
        a.collect_and_sweep();
        balanced(&mut [&mut a, &mut b]);
        assert_eq!(ends.load(Ordering::Relaxed), (rounds * (half + 1)) as usize);
        drop(b);
        a.collect_and_sweep();
        assert_eq!(ends.load(Ordering::Relaxed), (rounds * whole) as usize);
        assert_eq!(a.stats().live, 0);
        drop(a);
        assert_eq!(source.stats().pages, 0);
    }
}

#[test]
fn threads_read_frozen_objects_while_their_owner_collects() {
    let source = Arc::new(PageSource::new());
    let ends = Arc::new(AtomicUsize::new(0));
    let mut a = trees(&source, When::Paced);
    let depth = if cfg!(miri) { 3 } else { 8 };
    let iso = TreeIso::new(&source, |r| tree(r, depth, Some(&ends)));
    let parcel = a.turn(|m, _| {
        let root = *iso.freeze(m);
        m.pack::<FrozenTree<'static>>(root)
    });
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (parcel, source) = (parcel.clone(), source.clone());
            thread::spawn(move || {
                let mut b = trees(&source, When::Paced);
                b.turn(|m, trees| trees.push(m.unpack(parcel)));
                for _ in 0..4 {
                    b.turn(|_, trees| assert_eq!(sum(trees[0]), (2 << depth) - 1));
                    b.collect();
                }
            })
        })
        .collect();
    drop(parcel);
    for _ in 0..4 {
        a.collect_and_sweep();
    }
    readers
        .into_iter()
        .for_each(|reader| reader.join().unwrap());
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
    assert_eq!(ends.load(Ordering::Relaxed), (2 << depth) - 1);
}

#[test]
fn imports_of_a_frozen_region_become_imports_of_its_owner() {
    let source = Arc::new(PageSource::new());
    let ends = Arc::new(AtomicUsize::new(0));
    let (mut a, mut b) = (trees(&source, When::Paced), trees(&source, When::Paced));
    let mut iso = TreeIso::new(&source, |r| tree(r, 1, Some(&ends)));
    // Titles of two owners: the freezing heap imports the one, and gets its own one back.
    a.turn(|m, _| {
        iso.open_in(m, |r, root: &mut Tree<'_>| {
            root.borrow_mut(r).title = Some(r.val_str("home"))
        })
    });
    b.turn(|m, _| {
        iso.open_in(m, |r, root: &mut Tree<'_>| {
            let left = root.borrow().left.unwrap();
            left.borrow_mut(r).title = Some(r.val_str("abroad"));
        });
    });
    a.turn(|m, trees| trees.push(*iso.freeze(m)));
    balanced(&mut [&mut a, &mut b]);
    assert!(a.is_unshared());
    a.collect();
    b.collect_and_sweep();
    balanced(&mut [&mut a, &mut b]);
    a.turn(|_, trees| {
        let root = trees[0].read();
        assert_eq!(&*root.title.unwrap(), "home");
        assert_eq!(&*root.left.unwrap().read().title.unwrap(), "abroad");
        trees.clear();
    });
    a.collect();
    assert!(b.is_unshared());
}

#[test]
fn a_region_frozen_in_an_open_region_belongs_to_the_enclosing_heap() {
    root!(Nested = Option<Iso<Vec<FrozenTree<'static>>>>);
    let source = Arc::new(PageSource::new());
    let ends = Arc::new(AtomicUsize::new(0));
    let mut a = Heap::<Nested>::new(&source, stressed(When::Paced), |_| None);
    let inner = TreeIso::new(&source, |r| tree(r, 3, Some(&ends)));
    a.turn(|m, outer| {
        let mut iso = m.iso::<Vec<FrozenTree<'static>>>(|_| Vec::new());
        let owner = m.id();
        iso.open_in(m, |r, trees| {
            let root = *inner.freeze(r);
            assert_eq!(Val::owner(root), owner);
            trees.push(root);
        });
        *outer = Some(iso);
    });
    let mut outer = a.turn(|_, outer| outer.take().unwrap());
    for _ in 0..2 {
        a.collect_and_sweep();
        outer.collect();
        balanced(&mut [&mut a, &mut outer]);
        outer.open(|_, trees| assert_eq!(sum(trees[0]), 15));
    }
    drop(outer);
    a.collect_and_sweep();
    assert_eq!(ends.load(Ordering::Relaxed), 15);
    assert_eq!(a.stats().live, 0);
}

#[test]
fn a_root_that_changes_in_place_is_frozen_too() {
    root!(One = Option<Val<'gc, Ice<Mut<Vec<u64>>>>>);
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<One>::new(&source, stressed(When::All), |_| None);
    let mut iso = Iso::<Mut<Vec<u64>>>::new(&source, |_| Mut::new(vec![1]));
    iso.open(|_, root| root.get_mut().push(2));
    a.turn(|m, one| *one = Some(iso.freeze(m)));
    a.pace();
    a.turn(|_, one| assert_eq!(*one.unwrap().read(), [1, 2]));
    a.turn(|_, one| *one = None);
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

#[test]
#[should_panic(expected = "a region has no heap for a shared object")]
fn a_region_without_an_enclosing_heap_is_not_frozen() {
    let source = Arc::new(PageSource::new());
    let inner = Iso::<Vec<u64>>::new(&source, |_| Vec::new());
    let mut outer = Iso::<u64>::new(&source, |_| 0);
    outer.open(|r, count| *count = inner.freeze(r).read().len() as u64);
}

#[test]
#[should_panic(expected = "from another source")]
fn sources_are_not_mixed() {
    let (source, other) = (Arc::new(PageSource::new()), Arc::new(PageSource::new()));
    let mut a = trees(&source, When::Paced);
    let ends = Arc::new(AtomicUsize::new(0));
    let iso = TreeIso::new(&other, |r| tree(r, 1, Some(&ends)));
    a.turn(|m, trees| trees.push(*iso.freeze(m)));
}
