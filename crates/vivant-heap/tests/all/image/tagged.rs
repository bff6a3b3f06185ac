//! Tags in images: a tag names the same object after a restore, in whichever heap it lies.

use super::cut::{self, Image};
use super::sink::{Sink, Taken};
use crate::seeds;
use fastrand::Rng;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use vivant_codec::{Encoder, Saved, from_bytes, to_bytes};
use vivant_heap::*;

#[derive(Object, Saved)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    friend: Option<Tag<'gc, Mut<Node<'gc>>>>,
}

/// Never changes, and names what may never change.
#[derive(Object, Saved)]
struct Card<'gc> {
    name: Option<Tag<'gc, Mut<Node<'gc>>>>,
    label: Option<Tag<'gc, str>>,
    before: Option<Tag<'gc, Card<'gc>>>,
}

#[derive(Object, Saved, Default)]
struct Desk<'gc> {
    nodes: Vec<Gc<'gc, Mut<Node<'gc>>>>,
    names: Vec<Tag<'gc, Mut<Node<'gc>>>>,
    cards: Vec<Val<'gc, Card<'gc>>>,
    last: Option<Tag<'gc, Card<'gc>>>,
}

type Name = Tag<'static, Mut<Node<'static>>>;

root!(Desks = Desk<'gc>);

struct World {
    source: Arc<PageSource>,
    heaps: Vec<Heap<Desks>>,
    parcels: Vec<Parcel<Name>>,
    next: u64,
}

/// What heaps and parcels lead to. A tag is the value of its node.
#[derive(PartialEq, Debug, Default)]
struct Reached {
    roots: Vec<Vec<u64>>,
    nodes: BTreeMap<u64, (Option<u64>, Option<u64>)>,
    names: Vec<Vec<u64>>,
    parcels: Vec<u64>,
}

impl World {
    fn new(source: Arc<PageSource>, heaps: usize, pacing: Pacing) -> World {
        let heap = |_| Heap::new(&source, pacing, |_| Desk::default());
        World {
            heaps: (0..heaps).map(heap).collect(),
            source,
            parcels: Vec::new(),
            next: 0,
        }
    }

    fn step(&mut self, random: &mut Rng) {
        let at = random.usize(..self.heaps.len());
        let heap = &mut self.heaps[at];
        match random.u8(..10) {
            0..3 => {
                self.next += 1;
                let value = self.next;
                heap.turn(|m, desk| {
                    let next = random.choice(desk.nodes.iter().copied());
                    let friend = random.choice(desk.names.iter().copied());
                    desk.nodes.push(m.alloc(Mut::new(Node {
                        value,
                        next,
                        friend,
                    })));
                });
            }
            3 | 4 => {
                let sent = heap.turn(|m, desk| {
                    let node = random.choice(desk.nodes.iter().copied())?;
                    Some(m.pack::<Name>(m.tag(node)))
                });
                self.parcels.extend(sent);
            }
            5 | 6 if !self.parcels.is_empty() => {
                let parcel = self.parcels.swap_remove(random.usize(..self.parcels.len()));
                heap.turn(|m, desk| {
                    let name = m.unpack(parcel);
                    match random.choice(desk.nodes.iter().copied()) {
                        Some(node) if random.bool() => node.borrow_mut(m).friend = Some(name),
                        _ => desk.names.push(name),
                    }
                });
            }
            7 => heap.turn(|m, desk| {
                let name = random.choice(desk.names.iter().copied());
                let label = random.bool().then(|| m.tag(m.alloc_str("a label")));
                let before = desk.last;
                let card = Card {
                    name,
                    label,
                    before,
                };
                match random.bool() {
                    true => desk.cards.push(m.val(card)),
                    false => desk.last = Some(m.tag(m.alloc(card))),
                }
            }),
            8 => heap.turn(|_, desk| {
                desk.nodes.retain(|_| random.bool());
                desk.names.retain(|_| random.bool());
                desk.cards.retain(|_| random.bool());
            }),
            _ => heap.collect(),
        }
    }

    /// The value of the node that a tag names, which the heap that owns it knows.
    fn value(&mut self, mut name: Parcel<Name>) -> u64 {
        for heap in &mut self.heaps {
            let opened = heap.turn(|m, _| {
                let name = m.unpack(name);
                match name.open(m) {
                    Ok(node) => Ok(node.borrow().value),
                    Err(_) => Err(m.pack::<Name>(name)),
                }
            });
            match opened {
                Ok(value) => return value,
                Err(back) => name = back,
            }
        }
        panic!("no heap has made the tag");
    }

    fn reached(&mut self) -> Reached {
        let mut reached = Reached::default();
        let mut friends = Vec::new();
        let mut names = Vec::new();
        for heap in &mut self.heaps {
            heap.turn(|m, desk| {
                let roots = desk.nodes.iter().map(|node| node.borrow().value);
                reached.roots.push(roots.collect());
                let mut open = desk.nodes.clone();
                let mut all = desk.names.clone();
                all.extend(desk.cards.iter().filter_map(|card| card.name));
                let mut last = desk.last;
                while let Some(card) = last {
                    let card = card.open(m).expect("of this heap");
                    all.extend(card.name);
                    if let Some(label) = card.label {
                        assert_eq!(&*label.open(m).expect("of this heap"), "a label");
                    }
                    last = card.before;
                }
                for name in &all {
                    if let Ok(node) = name.open(m) {
                        assert!(m.tag(node) == *name, "one tag entry for each object");
                        open.push(node);
                    }
                }
                names.push(all.iter().map(|name| m.pack::<Name>(*name)).collect());
                while let Some(node) = open.pop() {
                    let node = node.borrow();
                    let next = node.next.map(|next| next.borrow().value);
                    if reached.nodes.insert(node.value, (next, None)).is_none() {
                        open.extend(node.next);
                        open.extend(node.friend.and_then(|friend| friend.open(m).ok()));
                        friends.extend(node.friend.map(|it| (node.value, m.pack::<Name>(it))));
                    }
                }
            });
        }
        for (value, friend) in friends {
            let friend = self.value(friend);
            reached.nodes.get_mut(&value).expect("it was met").1 = Some(friend);
        }
        for all in names {
            let all: Vec<Parcel<Name>> = all;
            let all = all.into_iter().map(|name| self.value(name)).collect();
            reached.names.push(all);
        }
        let copies: Vec<_> = self.parcels.iter().map(Clone::clone).collect();
        reached.parcels = copies.into_iter().map(|it| self.value(it)).collect();
        reached
    }

    /// The same again, from images.
    fn restored(&mut self) -> World {
        let source = self.source.clone();
        let images: Vec<Image> = self
            .heaps
            .iter_mut()
            .map(|it| cut::saved(it, &source))
            .collect();
        let named = NamedHeaps::new(&source);
        let contexts: [&dyn Any; 1] = [&named];
        let parcels = self.parcels.iter().map(|parcel| {
            let mut out = Encoder::new().with_contexts(&contexts);
            parcel.save(&mut out);
            out.finish().expect("a tag is saved")
        });
        let parcels: Vec<Vec<u8>> = parcels.collect();
        let source = Arc::new(PageSource::new());
        cut::restoring::<Desks, _>(&source, &images, |heaps| {
            let states = images
                .iter()
                .map(|image| cut::state::<Desks>(&heaps, image));
            let states: Vec<_> = states.map(|state| state.expect("it is right")).collect();
            let values = heaps.values(&[]);
            let parcels = parcels
                .iter()
                .map(|bytes| Saved::load(&mut values.of(bytes)));
            let parcels = parcels.map(|parcel| parcel.expect("it is right")).collect();
            drop(values);
            let mut heaps = heaps.finish(&[]).expect("all is loaded");
            let heaps = states.into_iter().map(|state| heaps.heap(state, None));
            World {
                heaps: heaps.collect(),
                source: source.clone(),
                parcels,
                next: self.next,
            }
        })
    }

    fn balanced(&mut self) {
        let mut verifier = CountVerifier::default();
        for heap in &mut self.heaps {
            verifier.heap(heap).unwrap();
        }
        self.parcels.iter().for_each(|it| verifier.parcel(it));
        verifier.check().unwrap();
    }

    fn end(self) {
        drop(self.parcels);
        let mut detached: Vec<_> = self.heaps.into_iter().filter_map(Heap::end).collect();
        while !detached.is_empty() {
            let before = detached.len();
            let left = detached.into_iter().filter_map(DetachedHeap::drain_all);
            detached = left.collect();
            assert!(detached.len() < before, "tags are cut");
        }
        assert_eq!(self.source.stats().pages, 0);
    }
}

#[test]
fn seeded_tags_name_the_same_objects_after_a_restore() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 40 }) {
        seeds::run(seed, || program(seed));
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let pacing = match cfg!(miri) {
        true => Pacing::new(),
        false => super::programs::any_pacing(&mut random, seed),
    };
    let source = Arc::new(PageSource::new());
    let mut world = World::new(source, random.usize(1..4), pacing);
    for _ in 0..if cfg!(miri) { 30 } else { 200 } {
        world.step(&mut random);
        if random.u8(..12) != 0 {
            continue;
        }
        let mut restored = world.restored();
        restored.balanced();
        assert_eq!(restored.reached(), world.reached());
        if random.bool() {
            std::mem::swap(&mut world, &mut restored);
        }
        restored.end();
    }
    world.end();
}

/// Each card names the one before it, and changes as little as that.
#[test]
fn a_long_chain_of_tags_needs_no_stack() {
    let source = Arc::new(PageSource::new());
    let mut world = World::new(source, 1, Pacing::new());
    let length = if cfg!(miri) { 100 } else { 100_000 };
    world.heaps[0].turn(|m, desk| {
        for _ in 0..length {
            let (name, label, before) = (None, None, desk.last);
            let card = Card {
                name,
                label,
                before,
            };
            desk.last = Some(m.tag(m.alloc(card)));
        }
    });
    let mut restored = world.restored();
    restored.heaps[0].turn(|m, desk| {
        let first = desk.last;
        let all = std::iter::successors(first, |card| card.open(m).expect("its own").before);
        assert_eq!(all.count(), length);
    });
    restored.end();
    world.end();
}

/// The same of what changes: contents are not loaded within each other.
#[test]
fn a_long_chain_of_tagged_nodes_needs_no_stack() {
    let source = Arc::new(PageSource::new());
    let mut world = World::new(source, 2, Pacing::new());
    let length = if cfg!(miri) { 100 } else { 100_000 };
    let last = world.heaps[0].turn(|m, _| {
        let mut friend = None;
        for value in 0..length {
            let next = None;
            let node = m.alloc(Mut::new(Node {
                value,
                next,
                friend,
            }));
            friend = Some(m.tag(node));
        }
        m.pack::<Name>(friend.expect("there are some"))
    });
    // The owner has loaded its state when the parcel is.
    world.parcels.push(last);
    let mut restored = world.restored();
    let last = restored.parcels.pop().expect("one");
    restored.heaps[0].turn(|m, _| {
        let last = Some(m.unpack(last));
        let all =
            std::iter::successors(last, |name| name.open(m).expect("its own").borrow().friend);
        assert_eq!(all.count() as u64, length);
    });
    restored.end();
    world.end();
}

/// A heap with an object that another heap names, and the name.
fn named() -> (World, Parcel<Name>) {
    let mut world = World::new(Arc::new(PageSource::new()), 1, Pacing::new());
    let name = world.heaps[0].turn(|m, desk| {
        let node = m.alloc(Mut::new(Node {
            value: 7,
            next: None,
            friend: None,
        }));
        desk.nodes.push(node);
        m.pack::<Name>(m.tag(node))
    });
    (world, name)
}

/// What a detached heap has written since an earlier image.
fn written(
    heap: &mut DetachedHeap,
    codecs: &Arc<ObjectCodecs>,
    since: Option<ImageId>,
) -> (Taken, Vec<SpanRecord>) {
    let (sink, taken) = Sink::since(since);
    heap.begin_image(codecs.clone(), Box::new(sink));
    heap.write_image(usize::MAX);
    let spans = taken.by_number().into_values();
    let spans = spans.map(|bytes| from_bytes(&bytes).expect("a span"));
    (taken.clone(), spans.collect())
}

/// The heap of the object has ended: its tag is an identity, before and after it is cut.
#[test]
fn a_tag_of_an_ended_heap_is_restored_as_an_identity() {
    let (mut world, name) = named();
    let source = world.source.clone();
    // The heap of a small one is collected when it ends.
    world.heaps[0].turn(|m, desk| {
        for value in 0..10_000 {
            let next = desk.nodes[0].borrow().next;
            let friend = None;
            desk.nodes[0].borrow_mut(m).next = Some(m.alloc(Mut::new(Node {
                value,
                next,
                friend,
            })));
        }
    });
    let mut codecs = ObjectCodecs::new();
    codecs.add(<Desk<'static> as Saved<'static>>::SHAPE);
    let codecs = Arc::new(codecs);
    world.heaps[0].collect();
    let mut ended = world.heaps.remove(0).end().expect("a parcel has a tag");
    let named = NamedHeaps::new(&source);
    let contexts: [&dyn Any; 1] = [&named];
    let mut out = Encoder::new().with_contexts(&contexts);
    (name.clone(), name.clone()).save(&mut out);
    let bytes = out.finish().expect("tags are saved");
    let (before, spans) = written(&mut ended, &codecs, None);
    let (_, unchanged) = written(&mut ended, &codecs, Some(before.id()));
    assert_eq!(unchanged, []);
    let number = ended.number();
    let mut ended = ended.drain_all().expect("a parcel has a tag");
    let (_, changed) = written(&mut ended, &codecs, Some(before.id()));
    assert_eq!(changed.len(), 1, "the entry has no target any more");
    for spans in [spans, changed] {
        let source = Arc::new(PageSource::new());
        let images = [(number, Vec::new(), spans)];
        cut::restoring::<Desks, _>(&source, &images, |heaps| {
            type Two = (Parcel<Name>, Parcel<Name>);
            let values = heaps.values(&[]);
            let two: Two = Saved::load(&mut values.of(&bytes)).expect("tags");
            drop(values);
            let heaps = heaps.finish(&[]).expect("all is loaded");
            let mut detached: Vec<_> = heaps.detached().map(|(_, heap)| heap).collect();
            two.0
                .look(|one| two.1.look(|other| assert!(one.id() == other.id())));
            let mut other = Heap::<Desks>::new(&source, Pacing::new(), |_| Desk::default());
            other.turn(|m, _| assert!(m.unpack(two.0).open(m).is_err()));
            let left = detached.remove(0).drain_all();
            let left = left.expect("a parcel has a tag");
            drop((two.1, other));
            assert!(left.drain_all().is_none());
        });
        assert_eq!(source.stats().pages, 0);
    }
    drop(name);
    assert!(ended.drain_all().is_none());
}

/// Tries to restore a heap of the image of `named`, with other names in its entries.
fn forged(change: impl Fn(&mut Vec<u8>) -> bool) -> String {
    let (mut world, name) = named();
    let source = world.source.clone();
    world.heaps[0].turn(|m, desk| {
        desk.names.push(m.tag(desk.nodes[0]));
        let other = m.alloc(Mut::new(Node {
            value: 8,
            next: None,
            friend: None,
        }));
        desk.nodes.push(other);
        desk.names.push(m.tag(other));
    });
    let (number, state, spans) = cut::saved(&mut world.heaps[0], &source);
    let mut changed = 0;
    let spans = spans.into_iter().map(|span| {
        let mut bytes = to_bytes(&span).expect("a span");
        changed += usize::from(change(&mut bytes));
        from_bytes(&bytes).expect("a span")
    });
    let image = (number, state, spans.collect());
    assert_eq!(changed, 1, "one span has the entries");
    drop(name);
    world.end();
    let source = Arc::new(PageSource::new());
    let images = [image];
    let error = cut::restoring::<Desks, _>(&source, &images, |heaps| {
        let state = cut::state::<Desks>(&heaps, &images[0]);
        let finished = state.and_then(|state| Ok((state, heaps.finish(&[])?)));
        finished.err().map(|error| error.to_string())
    });
    assert_eq!(source.stats().pages, 0);
    error.expect("it is forged")
}

/// The place of the contents of two entries, numbered 0 and 1, in the bytes of a span.
fn entries(bytes: &[u8]) -> Option<(usize, usize)> {
    // Number, `Some`, and a name of two or three bytes.
    let len = |at: usize| {
        2 + bytes[at + 2..]
            .iter()
            .position(|byte| *byte < 128)
            .map_or(0, |it| it + 1)
    };
    let first = (0..bytes.len() - 3).find(|at| {
        bytes[*at..].starts_with(&[0, 1]) && {
            let second = at + len(*at);
            bytes[second..].starts_with(&[1, 1]) && second + len(second) == bytes.len()
        }
    })?;
    Some((first, first + len(first)))
}

#[test]
fn forged_tag_entries_are_refused() {
    let error = forged(|bytes| {
        let Some((first, second)) = entries(bytes) else {
            return false;
        };
        let target = bytes[first + 1..second].to_vec();
        bytes.truncate(second + 1);
        bytes.extend(target);
        true
    });
    assert!(error.contains("two tag entries of one object"), "{error}");
}
