//! Tags: a tag identifies an object and keeps it alive without access to it; the object's heap has
//! access.

use crate::heaps::Collect;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::thread;
use vivant_heap::{
    CountVerifier, Frozen, Gc, Heap, Iso, Mut, Mutator, Object, Pacing, PageSource, Parcel,
    Sendable, Stress, Tag, TagId, Val, Weak, When, collected, unsize,
};

/// A private object, with a token that counts the live ones.
#[derive(Object)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    friend: Option<Name<'gc>>,
    _token: Token,
}

type Token = Arc<()>;
type Own<'gc> = Gc<'gc, Mut<Node<'gc>>>;
type Name<'gc> = Tag<'gc, Mut<Node<'gc>>>;
type Sent = Parcel<Name<'static>>;

root!(Graph = State<'gc>);

#[derive(Object, Default)]
struct State<'gc> {
    nodes: Vec<Own<'gc>>,
    names: Vec<Name<'gc>>,
}

/// Verifies itself, and fills free memory; under an interpreter that would take minutes.
fn pacing() -> Pacing {
    match cfg!(miri) {
        true => Pacing::new(),
        false => Pacing::new().stressed(Stress::new(When::Paced, 1)),
    }
}

fn heap(source: &Arc<PageSource>) -> Heap<Graph> {
    Heap::new(source, pacing(), |_| State::default())
}

fn node<'gc>(m: &Mutator<'gc>, value: u64, token: &Token) -> Own<'gc> {
    m.alloc(Mut::new(Node {
        value,
        next: None,
        friend: None,
        _token: token.clone(),
    }))
}

fn there(token: &Token) -> usize {
    Arc::strong_count(token) - 1
}

fn all(heap: &mut Heap<Graph>) {
    heap.collect_and_sweep();
}

/// Visits everything, which tests nothing more under an interpreter, and takes minutes there.
fn balanced(heaps: &mut [&mut Heap<Graph>], parcels: &[&Sent]) {
    if cfg!(miri) {
        return;
    }
    let mut verifier = CountVerifier::default();
    heaps
        .iter_mut()
        .for_each(|heap| verifier.heap(heap).unwrap());
    parcels.iter().for_each(|parcel| verifier.parcel(*parcel));
    verifier.check().unwrap();
}

#[test]
fn a_tagged_object_of_any_age_lives() {
    let ages = if cfg!(miri) { 2 } else { 4 };
    for minors in 0..ages {
        let (source, token) = (Arc::new(PageSource::new()), Token::default());
        let (mut a, mut b) = (heap(&source), heap(&source));
        a.turn(|m, state| state.nodes.push(node(m, 7, &token)));
        for _ in 0..minors {
            a.collect_young();
        }
        let sent: Sent = a.turn(|m, state| m.pack(m.tag(state.nodes.pop().unwrap())));
        balanced(&mut [&mut a, &mut b], &[&sent]);
        a.collect_young();
        balanced(&mut [&mut a, &mut b], &[&sent]);
        all(&mut a);
        b.turn(|m, state| state.names.push(m.unpack(sent)));
        all(&mut b);
        all(&mut a);
        balanced(&mut [&mut a, &mut b], &[]);
        assert_eq!(there(&token), 1);
        // There, and back.
        let back: Sent = b.turn(|m, state| m.pack(state.names.pop().unwrap()));
        a.turn(|m, state| {
            let node = m.unpack(back).open(m).unwrap();
            node.borrow_mut(m).value += 1;
            state.nodes.push(node);
        });
        all(&mut b);
        all(&mut a);
        a.turn(|_, state| assert_eq!(state.nodes[0].borrow().value, 8));
        a.turn(|_, state| state.nodes.clear());
        all(&mut a);
        assert_eq!((there(&token), a.stats().live), (0, 0));
    }
}

#[test]
fn a_tag_is_stable_while_any_heap_has_it() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let (mut a, mut b) = (heap(&source), heap(&source));
    a.turn(|m, state| {
        state.nodes = (0..2).map(|value| node(m, value, &token)).collect();
        let (one, other) = (m.tag(state.nodes[0]), m.tag(state.nodes[1]));
        assert_eq!(one, m.tag(state.nodes[0]));
        assert_ne!(one, other);
        assert_ne!(one.id(), other.id());
        let seen = [format!("{one:?}"), format!("{other:?}")];
        assert!(seen[0].starts_with("Tag(") && seen[0].contains("tags::Node"));
        assert!(seen[0].ends_with(" 0)") && seen[1].ends_with(" 1)"));
        assert_eq!(format!("{:?}", other.id()), "TagId(1)");
    });
    let mut known: Option<TagId> = None;
    for round in 0..6 {
        let sent: Sent = a.turn(|m, state| m.pack(m.tag(state.nodes[0])));
        b.turn(|m, state| {
            let name = m.unpack(sent);
            assert!(state.names.iter().all(|other| *other == name));
            assert_eq!(*known.get_or_insert(name.id()), name.id());
            state.names.push(name);
        });
        match round % 2 {
            0 => a.collect_young(),
            _ => all(&mut a),
        }
    }
    // No heap has the tag any more: the next one is another.
    b.turn(|_, state| state.names.clear());
    all(&mut b);
    all(&mut a);
    a.turn(|m, state| {
        let again = m.tag(state.nodes[0]);
        assert_ne!(Some(again.id()), known);
        assert_eq!(again.open(m).unwrap().borrow().value, 0);
    });
}

#[test]
fn objects_referenced_by_a_tagged_object_live() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let mut a = heap(&source);
    let sent: Sent = a.turn(|m, _| {
        let (first, last) = (node(m, 1, &token), node(m, 2, &token));
        first.borrow_mut(m).next = Some(last);
        last.borrow_mut(m).next = Some(first);
        m.pack(m.tag(first))
    });
    for _ in 0..3 {
        all(&mut a);
        // New references in an object that is old, and tagged.
        let copy = sent.clone();
        a.turn(|m, _| {
            let first = m.unpack(copy).open(m).unwrap();
            let next = first.borrow().next;
            let new = node(m, 3, &token);
            new.borrow_mut(m).next = next;
            first.borrow_mut(m).next = Some(new);
        });
        a.collect_young();
        balanced(&mut [&mut a], &[&sent]);
    }
    all(&mut a);
    assert_eq!(there(&token), 5);
    drop(sent);
    all(&mut a);
    assert_eq!((there(&token), a.stats().live), (0, 0));
}

#[test]
fn only_the_owner_opens_a_tag() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let (mut a, mut b) = (heap(&source), heap(&source));
    let sent: Sent = a.turn(|m, _| m.pack(m.tag(node(m, 1, &token))));
    b.turn(|m, state| {
        let name = m.unpack(sent);
        assert!(!name.is_mine(m));
        let refused = name.open(m).unwrap_err();
        assert!(
            refused.to_string().starts_with("tag 0 of a `vivant_heap"),
            "{refused}"
        );
        state.names.push(name);
    });
    // A heap that is created after the owner has ended, perhaps at the same address.
    let detached = a.end().expect("it is named");
    let mut c = heap(&source);
    let sent: Sent = b.turn(|m, state| m.pack(state.names[0]));
    c.turn(|m, _| assert!(m.unpack(sent).open(m).is_err()));
    c.collect();
    let detached = detached.drain_all().expect("it is named");
    assert_eq!(there(&token), 0, "the tag entry stays, and not its target");
    assert!(b.end().is_none());
    assert!(detached.drain_all().is_none());
    drop(c);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn tags_lie_in_shared_and_private_objects() {
    root!(CountAudit = Option<Val<'gc, Page<'gc>>>);
    #[derive(Object)]
    struct Page<'gc> {
        about: Vec<Name<'gc>>,
        next: Option<Val<'gc, Page<'gc>>>,
    }
    fn travels<'gc, T: Sendable<'gc> + Frozen<'gc> + Copy>() {}
    travels::<Name<'_>>();
    travels::<TagId>();

    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let (mut a, mut b) = (heap(&source), heap(&source));
    let mut reader = Heap::<CountAudit>::new(&source, Pacing::default(), |_| None);
    let book = a.turn(|m, _| {
        let next = Some(m.val(Page {
            about: vec![m.tag(node(m, 1, &token)), m.tag(node(m, 2, &token))],
            next: None,
        }));
        m.pack::<Val<'static, Page<'static>>>(m.val(Page {
            about: vec![],
            next,
        }))
    });
    all(&mut a);
    reader.turn(|m, state| *state = Some(m.unpack(book)));
    reader.collect();
    all(&mut a);
    assert_eq!(there(&token), 2);
    // A component of the book, taken out of it; then the component alone.
    let sent: Sent = reader.turn(|m, state| m.pack(state.unwrap().next.unwrap().about[1]));
    reader.turn(|_, state| *state = None);
    reader.collect();
    all(&mut a);
    assert_eq!(there(&token), 1);
    // In a private object of a third heap.
    b.turn(|m, state| {
        let friend = node(m, 3, &token);
        friend.borrow_mut(m).friend = Some(m.unpack(sent));
        state.nodes.push(friend);
    });
    for _ in 0..2 {
        all(&mut b);
        all(&mut a);
    }
    let back: Sent = b.turn(|m, state| m.pack(state.nodes[0].borrow().friend.unwrap()));
    a.turn(|m, _| assert_eq!(m.unpack(back).open(m).unwrap().borrow().value, 2));
    drop(b);
    all(&mut a);
    assert_eq!((there(&token), a.stats().live), (0, 0));
}

trait Shape {
    fn area(&self) -> u64;
}
collected!(dyn Shape);

#[derive(Object)]
struct Square(u64);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

#[test]
fn objects_of_all_kinds_can_be_tagged() {
    root!(Kinds = All<'gc>);
    #[derive(Object)]
    struct All<'gc> {
        text: Tag<'gc, str>,
        numbers: Tag<'gc, [u64]>,
        shape: Tag<'gc, dyn Shape>,
        square: Tag<'gc, Square>,
        nothing: Tag<'gc, ()>,
        large: Tag<'gc, [u64; 1000]>,
    }
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Kinds>::new(&source, pacing(), |m| {
        let square = m.alloc(Square(3));
        All {
            text: m.tag(m.alloc_str("rain")),
            numbers: m.tag(m.alloc_slice([1, 2, 3])),
            shape: m.tag(unsize!(square => dyn Shape)),
            square: m.tag(square),
            nothing: m.tag(m.alloc(())),
            large: m.tag(m.alloc([7; 1000])),
        }
    });
    for round in 0..5 {
        heap.turn(|m, all| {
            assert_eq!(&*all.text.open(m).unwrap(), "rain");
            assert_eq!(&*all.numbers.open(m).unwrap(), [1, 2, 3]);
            assert_eq!(all.shape.open(m).unwrap().area(), 9);
            assert_eq!(all.large.open(m).unwrap()[999], 7);
            all.nothing.open(m).unwrap();
            // One object has one tag entry, whatever type it is tagged as.
            assert_eq!(all.shape.id(), all.square.id());
            assert_eq!(all.shape, m.tag(all.shape.open(m).unwrap()));
        });
        match round {
            0..3 => heap.collect_young(),
            _ => heap.collect(),
        }
    }
}

#[test]
fn a_tag_keeps_objects_that_weak_references_do_not() {
    root!(Both = (Option<Weak<'gc, Mut<u64>>>, Option<Tag<'gc, Mut<u64>>>));
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Both>::new(&source, Pacing::default(), |m| {
        let number = m.alloc(Mut::new(1));
        m.watch_death(number, 5);
        (Some(Weak::new(m, number)), Some(m.tag(number)))
    });
    for _ in 0..3 {
        heap.collect_young();
        heap.collect();
        heap.turn(|m, (weak, tag)| {
            let number = weak.unwrap().upgrade(m).unwrap();
            assert_eq!(m.tag(number), tag.unwrap());
        });
    }
    assert!(heap.take_deaths().is_empty());
    heap.turn(|_, (_, tag)| *tag = None);
    heap.collect();
    heap.turn(|m, (weak, _)| assert!(weak.unwrap().upgrade(m).is_none()));
    assert_eq!(heap.take_deaths(), [5]);
}

#[test]
fn tags_go_through_regions_and_are_not_opened_there() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let mut a = heap(&source);
    let (sent, copy): (Sent, Sent) = a.turn(|m, _| {
        let name = m.tag(node(m, 4, &token));
        (m.pack(name), m.pack(name))
    });
    let mut iso = Iso::<Option<Name<'static>>>::new(&source, |r| {
        let name = r.unpack(sent);
        assert!(name.open(r).is_err());
        Some(name)
    });
    drop(copy);
    iso.collect();
    all(&mut a);
    let mut verifier = CountVerifier::default();
    verifier.heap(&mut a).unwrap();
    verifier.iso(&mut iso).unwrap();
    verifier.check().unwrap();
    assert_eq!(there(&token), 1);
    a.turn(|m, state| {
        let name = iso.merge(m).unwrap();
        state.nodes.push(name.open(m).unwrap());
    });
    all(&mut a);
    a.turn(|_, state| assert_eq!(state.nodes[0].borrow().value, 4));
}

#[test]
#[should_panic(expected = "Y3: an object of type `u64` in an open region cannot be tagged")]
fn an_object_of_an_open_region_has_no_tag() {
    let source = Arc::new(PageSource::new());
    let mut iso = Iso::<Gc<'static, u64>>::new(&source, |r| r.alloc(1));
    iso.open(|r, number| {
        r.tag(*number);
    });
}

#[test]
fn ids_are_keys() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let (mut a, mut b) = (heap(&source), heap(&source));
    let ids = |heap: &mut Heap<Graph>| -> Vec<TagId> {
        heap.turn(|m, state| {
            state.nodes = (0..3).map(|value| node(m, value, &token)).collect();
            state.names = state.nodes.iter().map(|node| m.tag(*node)).collect();
            state.names.iter().map(|name| name.id()).collect()
        })
    };
    let all: Vec<TagId> = [ids(&mut a), ids(&mut b)].concat();
    let places: HashMap<TagId, usize> = all.iter().copied().zip(0..).collect();
    assert_eq!(places.len(), 6);
    a.collect();
    a.turn(|_, state| {
        let found = state.names.iter().map(|name| places[&name.id()]);
        assert_eq!(found.collect::<Vec<_>>(), [0, 1, 2]);
    });
}

/// Other threads read a tag entry while its owner moves the tagged object.
#[test]
fn threads_read_tags_while_their_owner_collects() {
    let (source, token) = (Arc::new(PageSource::new()), Token::default());
    let mut a = heap(&source);
    let sent: Vec<Sent> = a.turn(|m, state| {
        state.nodes = (0..3).map(|value| node(m, value, &token)).collect();
        let tags = state.nodes.iter().map(|node| m.pack(m.tag(*node)));
        tags.collect()
    });
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let sent = sent.clone();
            thread::spawn(move || {
                for (number, sent) in sent.iter().enumerate() {
                    let other = sent.clone();
                    sent.look(|one| {
                        assert!(format!("{one:?}").ends_with(&format!(" {number})")));
                        other.look(|other| assert_eq!(one.id(), other.id()));
                    });
                }
            })
        })
        .collect();
    for round in 0..4 {
        match round {
            3 => a.collect(),
            _ => a.collect_young(),
        }
        a.turn(|m, state| {
            state.nodes.rotate_left(1);
            let again: BTreeMap<u64, Name<'_>> = state
                .nodes
                .iter()
                .map(|node| (node.borrow().value, m.tag(*node)))
                .collect();
            assert!(again.values().all(|name| name.is_mine(m)));
        });
    }
    readers
        .into_iter()
        .for_each(|reader| reader.join().unwrap());
    drop(sent);
    a.turn(|_, state| state.nodes.clear());
    all(&mut a);
    assert_eq!((there(&token), a.stats().live), (0, 0));
}
