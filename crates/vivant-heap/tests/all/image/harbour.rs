//! Heaps with regions in their states and objects, for the tests of images.

use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use vivant_codec::Saved;
use vivant_heap::*;

#[derive(Object, Saved)]
pub(super) struct Node<'gc> {
    pub(super) number: u64,
    text: Gc<'gc, str>,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    watched: Option<Weak<'gc, Mut<Node<'gc>>>>,
    title: Option<Val<'gc, str>>,
    pub(super) inner: Option<Iso<Nodes<'static>>>,
}

pub(super) type Nodes<'gc> = Vec<Gc<'gc, Mut<Node<'gc>>>>;
pub(super) type Region = Iso<Nodes<'static>>;

root!(pub(super) Harbour = (Vec<Iso<Nodes<'static>>>, Vec<Gc<'gc, Mut<Option<Iso<Nodes<'static>>>>>>));

/// What a region has, by numbers in the order of a walk.
#[derive(PartialEq, Debug)]
pub(super) struct Picture {
    roots: Vec<usize>,
    nodes: Vec<Pictured>,
}

#[derive(PartialEq, Debug)]
pub(super) struct Pictured {
    number: u64,
    text: String,
    next: Option<usize>,
    watched: Option<usize>,
    title: Option<String>,
    inner: Option<Picture>,
}

/// Collects first: what is dead has no part in the picture.
pub(super) fn picture(region: &mut Region) -> Picture {
    region.collect();
    region.open(|r, nodes| {
        let mut places = BTreeMap::new();
        let mut open: Vec<Gc<'_, Mut<Node<'_>>>> = Vec::new();
        let mut place = |node: Gc<'_, Mut<Node<'_>>>| {
            let next = places.len();
            let address = std::ptr::from_ref(&*node).addr();
            let place = *places.entry(address).or_insert(next);
            (place, place == next)
        };
        let mut see = |node, open: &mut Vec<_>| {
            let (place, is_new) = place(node);
            open.extend(is_new.then_some(node));
            place
        };
        let roots = nodes.iter().map(|node| see(*node, &mut open)).collect();
        let mut pictured = Vec::new();
        let mut at = 0;
        while let Some(node) = open.get(at).copied() {
            at += 1;
            let inner = node.borrow_mut(r).inner.as_mut().map(picture);
            let node = node.borrow();
            let watched = node.watched.and_then(|weak| weak.upgrade(r));
            pictured.push(Pictured {
                number: node.number,
                text: node.text.to_string(),
                next: node.next.map(|next| see(next, &mut open)),
                watched: watched.map(|node| see(node, &mut open)),
                title: node.title.map(|title| title.to_string()),
                inner,
            });
        }
        let nodes = pictured;
        Picture { roots, nodes }
    })
}

/// A region of so many nodes in a ring.
pub(super) fn ring(m: &Mutator<'_>, count: u64) -> Region {
    m.iso(|r| {
        let mut nodes: Vec<Gc<'_, Mut<Node<'_>>>> = Vec::new();
        for number in 0..count {
            let next = nodes.last().copied();
            let text = r.alloc_str(&format!("node {number}"));
            nodes.push(r.alloc(Mut::new(Node {
                number,
                text,
                next,
                watched: None,
                title: None,
                inner: None,
            })));
        }
        if let (Some(first), Some(last)) = (nodes.first(), nodes.last()) {
            first.borrow_mut(r).next = Some(*last);
        }
        nodes
    })
}

/// The pictures of all regions of a heap.
pub(super) fn pictures(heap: &mut Heap<Harbour>) -> Vec<Picture> {
    heap.turn(|m, (docked, moored)| {
        let own = docked.iter_mut().map(picture).collect::<Vec<_>>();
        let cells = moored.iter();
        let inside = cells.filter_map(|cell| Some(picture(cell.borrow_mut(m).as_mut()?)));
        own.into_iter().chain(inside).collect()
    })
}

pub(super) fn harbour(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Harbour> {
    Heap::new(source, pacing, |_| (Vec::new(), Vec::new()))
}

/// The numbers of the nodes say which step made them.
pub(super) struct Program {
    pub(super) random: Rng,
    pub(super) next: u64,
    /// Whether regions refer to shared objects.
    pub(super) titles: bool,
}

impl Program {
    pub(super) fn step<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        (docked, moored): &mut <Harbour as Root>::Of<'gc>,
    ) {
        match self.random.u8(..8) {
            0 => docked.push(ring(m, self.random.u64(0..4))),
            1 if !docked.is_empty() => {
                let region = docked.swap_remove(self.random.usize(..docked.len()));
                moored.push(m.alloc(Mut::new(Some(region))));
            }
            2 if !moored.is_empty() => {
                let cell = moored.swap_remove(self.random.usize(..moored.len()));
                docked.extend(cell.borrow_mut(m).take());
            }
            3 if docked.len() > 1 => {
                let inner = docked.pop();
                let at = self.random.usize(..docked.len());
                self.open(m, &mut docked[at], inner);
            }
            4 => {
                if let Some(cell) = self.random.choice(moored.iter()).copied()
                    && let Some(region) = cell.borrow_mut(m).as_mut()
                {
                    self.open(m, region, None);
                }
            }
            5 if !docked.is_empty() && self.random.bool() => {
                docked.swap_remove(self.random.usize(..docked.len()));
            }
            _ if !docked.is_empty() => {
                let at = self.random.usize(..docked.len());
                self.open(m, &mut docked[at], None);
            }
            _ => {}
        }
    }

    /// Changes a region: `inner` goes into it.
    fn open(&mut self, m: &Mutator<'_>, region: &mut Region, inner: Option<Region>) {
        region.open_in(m, |r, nodes| {
            for _ in 0..self.random.u8(1..4) {
                self.next += 1;
                let some = |random: &mut Rng| random.choice(nodes.iter().copied());
                let (next, watched) = (some(&mut self.random), some(&mut self.random));
                let title = self.titles && self.random.bool();
                let title = title.then(|| r.val_str(&format!("title {}", self.next)));
                nodes.push(r.alloc(Mut::new(Node {
                    number: self.next,
                    text: r.alloc_str("added"),
                    next,
                    watched: watched.map(|node| Weak::new(r, node)),
                    title,
                    inner: None,
                })));
            }
            if let Some(node) = self.random.choice(nodes.iter().copied()) {
                let next = self.random.choice(nodes.iter().copied());
                node.borrow_mut(r).next = next;
            }
            if let (Some(inner), Some(last)) = (inner, nodes.last()) {
                last.borrow_mut(r).inner = Some(inner);
            }
            if nodes.len() > 8 {
                nodes.truncate(4);
            }
        });
    }
}

/// Its regions return what they have counted, and nothing is left.
pub(super) fn ends(heap: Heap<Harbour>) {
    let detached = heap.end();
    assert!(detached.and_then(DetachedHeap::drain_all).is_none());
}

/// The counts of a heap are those that its regions have.
pub(super) fn counts_agree(heap: &mut Heap<Harbour>) {
    fn region(verifier: &mut CountVerifier, one: &mut Region) {
        verifier.iso(one).unwrap();
        one.open(|r, nodes| {
            // What weak references have is restored, and dies with the next collection.
            let mut seen = BTreeSet::new();
            let mut open = nodes.clone();
            while let Some(node) = open.pop() {
                if seen.insert(std::ptr::from_ref(&*node).addr()) {
                    let node = &mut *node.borrow_mut(r);
                    let watched = node.watched.and_then(|weak| weak.upgrade(r));
                    open.extend(node.next.into_iter().chain(watched));
                    if let Some(inner) = &mut node.inner {
                        region(verifier, inner);
                    }
                }
            }
        });
    }
    let mut verifier = CountVerifier::default();
    verifier.heap(heap).unwrap();
    heap.turn(|m, (docked, moored)| {
        docked.iter_mut().for_each(|one| region(&mut verifier, one));
        for cell in moored.iter() {
            if let Some(one) = cell.borrow_mut(m).as_mut() {
                region(&mut verifier, one);
            }
        }
    });
    verifier.check().unwrap();
}
