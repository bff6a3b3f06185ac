//! Parcels that are opened, looked at, copied and lost in the wrong places.

use super::{Number, One, Page, balanced, collected, emptied, reader};
use crate::heaps::panics;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use vivant_heap::{DetachedHeap, Erased, Held, Leaf, Object, PageSource, Parcel, Sendable, Val};

/// A parcel within `look` of another one, within a turn of a third heap; components that are packed
/// without a heap.
#[test]
fn parcels_are_opened_within_each_other() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let parcel = a.turn(|m, _| {
        let part = Page::new(m, "part", Vec::new());
        m.pack::<One>(Page::new(m, "whole", vec![part, part]))
    });
    let other = parcel.clone();
    let part = b.turn(|m, state| {
        let part = parcel.look(|whole| {
            let part = other.open(|same| {
                assert!(same.parts[0].parts.is_empty());
                Parcel::<One>::new(same.parts[1])
            });
            assert_eq!(whole.text, "whole");
            part
        });
        state.push(m.unpack(part));
        drop(parcel);
        // A container of its own, of a component that is not counted here.
        let whole = Page::new(m, "mine", vec![state[0]]);
        state.push(whole);
        m.pack::<One>(whole)
    });
    collected(&mut [&mut a, &mut b]);
    balanced(&mut [&mut a, &mut b], &[&part]);
    b.turn(|_, state| state.clear());
    collected(&mut [&mut b, &mut a]);
    assert_eq!(part.look(|whole| whole.parts[0].text.clone()), "part");
    a.turn(|m, state| state.push(m.unpack(part)));
    collected(&mut [&mut b, &mut a]);
    b.collect();
    a.turn(|_, state| assert_eq!(state[0].parts[0].text, "part"));
    emptied(&mut [&mut a, &mut b]);
}

/// Of the values that a panicking body has taken out, nothing is lost and nothing released twice.
#[test]
fn the_body_of_look_may_panic() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let parcel = a.turn(|m, _| m.pack::<One>(Page::new(m, "rain", Vec::new())));
    let copy = parcel.clone();
    assert!(panics(|| parcel.look(|_| panic!("looked"))));
    assert!(panics(|| parcel.open(|_| panic!("opened"))));
    balanced(&mut [&mut a], &[&copy]);
    assert!(panics(|| {
        a.turn(|m, state| {
            state.push(m.unpack(copy));
            m.val_str("left behind");
            panic!("the turn");
        });
    }));
    collected(&mut [&mut a]);
    a.turn(|_, state| assert_eq!(state[0].text, "rain"));
    emptied(&mut [&mut a]);
}

/// Its clone is its own component; the last call panics.
#[derive(Object)]
struct Shrinks<'gc> {
    page: Val<'gc, Page<'gc>>,
    left: Number,
}

impl Clone for Shrinks<'_> {
    fn clone(&self) -> Self {
        assert_ne!(self.left.0.fetch_sub(1, Ordering::Relaxed), 0, "no more");
        Shrinks {
            page: self.page.parts[0],
            left: self.left.clone(),
        }
    }
}

#[test]
fn a_clone_may_be_another_value() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let left = Leaf(Arc::new(2.into()));
    let parcel = a.turn(|m, _| {
        let part = Page::new(m, "part", Vec::new());
        let page = Page::new(m, "page", vec![part]);
        let page = Page::new(m, "whole", vec![page]);
        m.pack::<Shrinks<'static>>(Shrinks { page, left })
    });
    let whole = a.stats().live;
    let page = parcel.clone();
    drop(parcel);
    collected(&mut [&mut a]);
    let part = page.clone();
    assert!(panics(|| page.clone()));
    drop(page);
    collected(&mut [&mut a]);
    assert_eq!(part.look(|part| part.page.text.clone()), "part");
    assert!(a.stats().live < whole / 2, "the others are gone");
    drop(part);
    emptied(&mut [&mut a]);
}

/// A component passes through heaps that end or collect at the worst time. Each has it from a
/// container that it releases.
#[test]
fn components_pass_through_heaps_that_end() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    // The depth of the component below the sent object, and which heap collects when.
    for order in (0..32_u32).step_by(if cfg!(miri) { 13 } else { 1 }) {
        let mut hands = [reader(&source), reader(&source), reader(&source)];
        let mut parcel = a.turn(|m, _| {
            let part = Page::new(m, "part", Vec::new());
            m.pack::<One>(Page::new(m, "whole", vec![part]))
        });
        let mut ended = Vec::new();
        for (number, hand) in hands.iter_mut().enumerate() {
            parcel = hand.turn(|m, state| {
                let part = m.unpack(parcel).parts[0];
                // Reached by a new container only.
                let whole = Page::new(m, "whole", vec![part]);
                if order & 1 == 0 {
                    state.push(whole);
                }
                m.pack::<One>(whole)
            });
            if order & (2 << number) != 0 {
                collected(&mut [hand]);
            }
            if order & 16 != 0 {
                collected(&mut [&mut a]);
            }
        }
        for hand in hands {
            ended.extend(hand.end());
        }
        collected(&mut [&mut a]);
        a.turn(|m, state| state.push(m.unpack(parcel).parts[0]));
        // Each drains the count of the next one's end only after it.
        for _round in 0..3 {
            ended = ended
                .into_iter()
                .filter_map(DetachedHeap::drain_all)
                .collect();
            collected(&mut [&mut a]);
        }
        assert!(ended.is_empty(), "no heap refers to these");
        a.turn(|_, state| assert_eq!(state.pop().unwrap().text, "part"));
    }
    emptied(&mut [&mut a]);
}

/// A heap is collected and ended in the turn of another that reads its objects.
#[test]
fn an_owner_may_end_while_another_heap_reads() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let parcel = a.turn(|m, _| {
        let part = Page::new(m, "part", Vec::new());
        m.pack::<One>(Page::new(m, "whole", vec![part]))
    });
    let detached = b.turn(|m, state| {
        let part: &str = &Val::as_ref(m.unpack(parcel).parts[0]).text;
        collected(&mut [&mut a]);
        assert_eq!(part, "part");
        let mut inner = reader(&source);
        let mine = m.pack::<One>(Page::new(m, "mine", Vec::new()));
        let theirs = inner.turn(|inner, _| {
            let mine = inner.unpack(mine);
            inner.pack::<One>(Page::new(inner, "theirs", vec![mine]))
        });
        state.push(m.unpack(theirs));
        let (detached, other) = (a.end(), inner.end());
        assert_eq!((part, &*state[0].parts[0].text), ("part", "mine"));
        [detached, other].map(Option::unwrap)
    });
    b.collect();
    let [a, inner] = detached;
    assert!(a.drain_all().is_none(), "its component was released");
    b.turn(|_, state| assert_eq!(state.pop().unwrap().parts[0].text, "mine"));
    b.collect();
    assert!(inner.drain_all().is_none());
    emptied(&mut [&mut b]);
}

/// Values that are never dropped are leaked, and do no harm.
#[test]
fn heaps_parcels_and_holders_may_be_leaked() {
    // Its memory is leaked: without this, Miri would report that.
    static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
    type Kept = (Option<vivant_heap::DetachedHeap>, Parcel<One>, Held<str>);
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let (parcel, held) = a.turn(|m, _| {
        let page = Page::new(m, "page", Vec::new());
        (m.pack::<One>(page), m.hold(m.val_str("rain")))
    });
    let copy = parcel.clone();
    let id = parcel.look(|page| Val::owner(*page));
    assert_eq!(id, a.id());
    b.turn(|m, state| state.push(m.unpack(copy)));
    KEPT.lock().unwrap().push((a.end(), parcel, held));
    drop(source);
    b.collect();
    b.turn(|_, state| {
        assert_eq!(state[0].text, "page");
        assert_eq!(Val::owner(state[0]), id);
    });
    drop(b);
    let kept = KEPT.lock().unwrap();
    assert_eq!(
        (&*kept[0].2, kept[0].1.look(|page| page.text.len())),
        ("rain", 4)
    );
}

/// Generic types: the derive's erased forms of user types with type parameters go there and back.
#[test]
fn generic_values_come_back_as_they_were() {
    #[derive(Object, Clone, Debug, PartialEq)]
    enum Either<T, const N: usize> {
        Many([Option<T>; N]),
        Boxed(Box<(T, Result<T, ()>)>),
    }
    fn there_and_back<T: Erased>(
        make: impl for<'gc> FnOnce(Val<'gc, str>) -> T::Of<'gc>,
        check: impl for<'gc> FnOnce(T::Of<'gc>, Val<'gc, str>),
    ) where
        for<'gc> T::Of<'gc>: Sendable<'gc>,
    {
        let source = Arc::new(PageSource::new());
        let (mut a, mut b) = (reader(&source), reader(&source));
        let (parcel, text) = a.turn(|m, _| {
            let text = m.val_str("rain");
            (m.pack::<T>(make(text)), m.hold(text))
        });
        collected(&mut [&mut a]);
        b.turn(|m, _| check(m.unpack(parcel), m.take(text)));
        emptied(&mut [&mut b, &mut a]);
    }
    type Text = Val<'static, str>;
    there_and_back::<Either<Text, 3>>(
        |text| Either::Many([Some(text), None, Some(text)]),
        |value, text| match value {
            Either::Many([Some(one), None, Some(two)]) => {
                assert!(Val::ptr_eq(one, text) && Val::ptr_eq(two, text));
            }
            _ => unreachable!(),
        },
    );
    there_and_back::<Either<Either<Text, 0>, 2>>(
        |text| {
            Either::Boxed(Box::new((
                Either::Boxed(Box::new((text, Ok(text)))),
                Err(()),
            )))
        },
        |value, text| match value {
            Either::Boxed(outer) => match outer.0 {
                Either::Boxed(inner) => assert!(Val::ptr_eq(inner.0, text)),
                Either::Many(_) => unreachable!(),
            },
            Either::Many(_) => unreachable!(),
        },
    );
}
