//! Random programs of regions in regions, with all kinds of shared objects: versions, frozen graphs
//! and tags, which go from any of them to any other.

use crate::seeds::seeds;
use fastrand::Rng;
use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{
    CountVerifier, Freeze, Gc, Heap, Ice, Iso, Mut, Mutator, Object, Pacing, PageSource, Parcel,
    Stress, Tag, Val, Weak, When,
};

#[derive(Object, Clone)]
struct Page<'gc> {
    text: String,
    next: Option<Val<'gc, Page<'gc>>>,
    frozen: Option<Val<'gc, Ice<Mut<Node<'gc>>>>>,
    tag: Option<Tag<'gc, Mut<u64>>>,
}

#[derive(Object, Freeze)]
struct Node<'gc> {
    number: u64,
    next: Option<Gc<'gc, Mut<Self>>>,
    page: Option<Val<'gc, Page<'gc>>>,
    more: gc::Vec<'gc, Gc<'gc, str>>,
}

/// The content of a heap, and of a region.
#[derive(Object, Default)]
struct Stuff<'gc> {
    pages: Vec<Val<'gc, Page<'gc>>>,
    frozen: Vec<Val<'gc, Ice<Mut<Node<'gc>>>>>,
    tags: Vec<Tag<'gc, Mut<u64>>>,
    own: Vec<Gc<'gc, Mut<u64>>>,
    weak: Vec<Weak<'gc, Mut<u64>>>,
    words: gc::HashMap<'gc, u64, Val<'gc, str>>,
}

#[derive(Object, Default)]
struct Inner<'gc> {
    stuff: Stuff<'gc>,
}

#[derive(Object, Default)]
struct Outer<'gc> {
    stuff: Stuff<'gc>,
    inner: Vec<Iso<Inner<'static>>>,
}

#[derive(Object, Default)]
struct State<'gc> {
    stuff: Stuff<'gc>,
    outer: Vec<Iso<Outer<'static>>>,
}

root!(States = State<'gc>);

type Sent = (
    Vec<Val<'static, Page<'static>>>,
    Vec<Val<'static, Ice<Mut<Node<'static>>>>>,
    Vec<Tag<'static, Mut<u64>>>,
);

/// Drops a random element, if there is one.
fn drop_one_of<T>(dice: &mut Rng, all: &mut Vec<T>) {
    if !all.is_empty() {
        all.swap_remove(dice.usize(..all.len()));
    }
}

/// The heap or region in which a step runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Heap,
    Region,
}

impl<'gc> Stuff<'gc> {
    fn step(
        &mut self,
        m: &Mutator<'gc>,
        dice: &mut Rng,
        level: Level,
        pool: &mut Vec<Parcel<Sent>>,
    ) {
        match dice.usize(..10) {
            0 => {
                let page = Page {
                    text: "page ".repeat(1 + dice.usize(..1000)),
                    next: dice.choice(&self.pages).copied(),
                    frozen: dice.choice(&self.frozen).copied(),
                    tag: dice.choice(&self.tags).copied(),
                };
                self.pages.push(m.val(page));
            }
            1 => {
                let page = dice.choice(&self.pages).copied();
                let mut parcel = page.map(|page| m.pack::<Val<'static, Page<'static>>>(page));
                let iso = m.iso::<Gc<'static, Mut<Node<'static>>>>(|r| {
                    let page = parcel.take().map(|page| r.unpack(page));
                    let node = |number, next, page| {
                        let mut more = gc::Vec::new();
                        more.push(r, r.alloc_str("more"));
                        r.alloc(Mut::new(Node {
                            number,
                            next,
                            page,
                            more,
                        }))
                    };
                    let last = node(7, None, page);
                    let first = node(7, Some(last), page);
                    last.borrow_mut(r).next = Some(first);
                    first
                });
                self.frozen.push(*iso.freeze(m));
            }
            2 => {
                let next = dice.choice(&self.pages).copied().and_then(|page| page.next);
                self.pages.extend(next);
                let below = dice
                    .choice(&self.pages)
                    .copied()
                    .and_then(|page| page.frozen);
                self.frozen.extend(below);
                let tag = dice.choice(&self.pages).copied().and_then(|page| page.tag);
                self.tags.extend(tag);
            }
            3 => {
                let node = dice.choice(&self.frozen).copied().map(|node| node.read());
                self.frozen.extend(node.and_then(|node| node.next));
                self.pages.extend(node.and_then(|node| node.page));
            }
            4 => drop_one_of(dice, &mut self.pages),
            5 => {
                drop_one_of(dice, &mut self.frozen);
                drop_one_of(dice, &mut self.tags);
            }
            6 => {
                let own = m.alloc(Mut::new(7));
                self.own.push(own);
                self.weak.push(Weak::new(m, own));
                self.words
                    .insert(m, dice.usize(..20) as u64, m.val_str("word"));
            }
            7 => {
                let own = dice.choice(&self.own).copied();
                if level == Level::Heap {
                    self.tags.extend(own.map(|own| m.tag(own)));
                }
                drop_one_of(dice, &mut self.own);
                drop_one_of(dice, &mut self.weak);
            }
            8 => {
                let pages = dice.choice(&self.pages).copied().into_iter().collect();
                let frozen = dice.choice(&self.frozen).copied().into_iter().collect();
                let tags = dice.choice(&self.tags).copied().into_iter().collect();
                pool.push(m.pack::<Sent>((pages, frozen, tags)));
            }
            _ => {
                if let Some(parcel) = pool.pop() {
                    let (pages, frozen, tags) = m.unpack(parcel);
                    self.pages.extend(pages);
                    self.frozen.extend(frozen);
                    self.tags.extend(tags);
                }
            }
        }
        self.look(m);
    }

    /// Asserts that all of its content is as expected.
    fn look(&self, m: &Mutator<'gc>) {
        for page in &self.pages {
            let mut at = Some(*page);
            while let Some(page) = at {
                assert!(page.text.starts_with("page "));
                at = page.next;
            }
        }
        for node in &self.frozen {
            let (one, other) = (node.read(), node.read().next.unwrap().read());
            assert_eq!((one.number, other.number), (7, 7));
            assert_eq!(one.more.get(0).map(|text| text.len()), Some(4));
        }
        for tag in &self.tags {
            assert_eq!(tag.open(m).is_ok(), tag.is_mine(m));
            if let Ok(own) = tag.open(m) {
                assert_eq!(own.get(), 7);
            }
        }
        for weak in &self.weak {
            assert_eq!(weak.upgrade(m).map_or(7, |own| own.get()), 7);
        }
        assert!(self.words.values().all(|word| &**word == "word"));
    }

    fn takes(&mut self, m: &Mutator<'gc>, mut other: Stuff<'gc>) {
        self.pages.append(&mut other.pages);
        self.frozen.append(&mut other.frozen);
        self.tags.append(&mut other.tags);
        self.own.append(&mut other.own);
        self.weak.append(&mut other.weak);
        let words: Vec<_> = other
            .words
            .iter()
            .map(|(key, word)| (*key, *word))
            .collect();
        self.words.extend(m, words);
    }

    /// Takes every second one.
    fn half(&mut self, m: &Mutator<'gc>) -> Stuff<'gc> {
        let mut half = Stuff::default();
        let mut number = 0;
        let mut every_second = || {
            number += 1;
            number % 2 == 0
        };
        half.pages = self.pages.extract_if(.., |_| every_second()).collect();
        half.tags = self.tags.extract_if(.., |_| every_second()).collect();
        half.own = self.own.extract_if(.., |_| every_second()).collect();
        half.weak = self.weak.extract_if(.., |_| every_second()).collect();
        if let Some((key, word)) = self.words.iter().next().map(|(key, word)| (*key, *word)) {
            half.words.insert(m, key, word);
        }
        half
    }
}

fn check(heaps: &mut [Heap<States>], pool: &[Parcel<Sent>]) {
    let mut verifier = CountVerifier::default();
    for heap in heaps.iter_mut() {
        heap.turn(|_, state| {
            for outer in &mut state.outer {
                outer.open(|_, outer| {
                    for inner in &mut outer.inner {
                        verifier.iso(inner).unwrap();
                    }
                });
                verifier.iso(outer).unwrap();
            }
        });
    }
    for heap in heaps.iter_mut() {
        verifier.heap(heap).unwrap();
    }
    pool.iter().for_each(|parcel| verifier.parcel(parcel));
    verifier.check().unwrap();
}

fn run(seed: u64, steps: usize) {
    let source = Arc::new(PageSource::new());
    let mut dice = Rng::with_seed(seed);
    let pacing = match seed % 3 {
        0 => Pacing::new(),
        1 => Pacing::new().stressed(Stress::new(When::Chance, seed)),
        _ => Pacing::new().nursery(1024).first(4096),
    };
    let mut heaps = [(); 3].map(|()| Heap::<States>::new(&source, pacing, |_| State::default()));
    let mut pool: Vec<Parcel<Sent>> = Vec::new();
    for _ in 0..steps {
        let which = dice.usize(..heaps.len());
        let action = dice.usize(..24);
        let heap = &mut heaps[which];
        let (pool, dice) = (&mut pool, &mut dice);
        match action {
            0..6 => heap.turn(|m, state| state.stuff.step(m, dice, Level::Heap, pool)),
            6..16 => heap.turn(|m, state| {
                if state.outer.len() < 2 {
                    state.outer.push(m.iso(|_| Outer::default()));
                }
                let outer = dice.usize(..state.outer.len());
                state.outer[outer].open_in(m, |r, outer| {
                    if action < 10 {
                        return outer.stuff.step(r, dice, Level::Region, pool);
                    }
                    if outer.inner.len() < 2 {
                        outer.inner.push(r.iso(|_| Inner::default()));
                    }
                    let at = dice.usize(..outer.inner.len());
                    let inner = &mut outer.inner[at];
                    inner.open_in(r, |r, inner| inner.stuff.step(r, dice, Level::Region, pool));
                    if dice.usize(..4) == 0 {
                        inner.collect();
                    }
                });
                if dice.usize(..4) == 0 {
                    state.outer[outer].collect();
                }
            }),
            16 => heap.collect(),
            17 => {
                heap.collect();
                heap.sweep();
            }
            18 => heap.collect_young(),
            19 => {
                let outer = heap.turn(|_, state| state.outer.pop());
                let to = dice.usize(..heaps.len());
                heaps[to].turn(|_, state| state.outer.extend(outer));
            }
            20 => heap.turn(|m, state| {
                if let Some(outer) = state.outer.pop() {
                    let Outer { stuff, inner } = outer.merge(m);
                    state.stuff.takes(m, stuff);
                    state.outer.push(m.iso(|_| Outer {
                        stuff: Stuff::default(),
                        inner,
                    }));
                }
            }),
            21 => heap.turn(|m, state| {
                let Some(outer) = state.outer.last_mut() else {
                    return;
                };
                outer.open_in(m, |r, outer| {
                    if let Some(inner) = outer.inner.pop() {
                        let Inner { stuff } = inner.merge(r);
                        outer.stuff.takes(r, stuff);
                    }
                });
            }),
            22 => heap.turn(|_, state| {
                let Some(outer) = state.outer.pop() else {
                    return;
                };
                state.outer.push(outer.map(|m, mut outer| Outer {
                    stuff: outer.stuff.half(m),
                    inner: outer.inner.drain(..).skip(1).collect(),
                }));
            }),
            _ => {
                drop_one_of(dice, pool);
            }
        }
        check(&mut heaps, pool);
    }
    pool.clear();
    for heap in &mut heaps {
        heap.turn(|_, state| *state = State::default());
    }
    for _ in 0..4 {
        for heap in &mut heaps {
            heap.collect();
            heap.sweep();
        }
    }
    assert!(heaps.iter_mut().all(Heap::is_unshared));
}

#[test]
fn seeded_nested_regions_share_and_release() {
    let (most, steps) = if cfg!(miri) { (1, 10) } else { (1_000, 300) };
    for seed in seeds(5).take(most) {
        run(seed, steps);
    }
}
