//! Allowed uses of frozen objects: threads of a turn read them, and types of many kinds can be
//! frozen.

#![allow(
    clippy::extra_unused_lifetimes,
    reason = "a brand that only the body names"
)]
#![allow(dead_code, reason = "types that compile, most of which no value has")]

use std::marker::PhantomData;
use std::sync::Arc;
use std::thread;
use vivant_heap::*;

#[derive(Object, Freeze)]
struct Node<'gc> {
    name: String,
    next: Option<Gc<'gc, Mut<Self>>>,
}

#[derive(Object, Freeze)]
struct Array<'gc, T, const N: usize>
where
    T: Clone,
{
    slots: [Gc<'gc, T>; N],
    what: PhantomData<T>,
}

#[derive(Object, Freeze)]
enum Either<'gc, T: Clone> {
    Neither,
    This(T, Gc<'gc, u8>),
    That { boxed: Box<T>, pair: (u8, T) },
}

#[derive(Object, Freeze)]
struct Pair<T> {
    one: T,
    more: Vec<T>,
}

#[derive(Object, Freeze)]
struct Nothing<'gc, T>(PhantomData<Gc<'gc, T>>);

fn needs<'gc, T: Freeze<'gc>>() {}

fn asked<'gc>(_: &Mutator<'gc>) {
    needs::<Array<'gc, u8, 3>>();
    needs::<Either<'gc, Gc<'gc, u8>>>();
    needs::<Pair<Gc<'gc, str>>>();
    needs::<Nothing<'gc, u8>>();
}

root!(Published = Option<Val<'gc, Ice<Mut<Node<'gc>>>>>);

#[test]
fn threads_of_a_turn_read_frozen_objects() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Published>::new(&source, Pacing::default(), |m| {
        asked(m);
        let iso = m.iso::<Gc<'static, Mut<Node<'static>>>>(|r| {
            let next = r.alloc(Mut::new(Node {
                name: "next".into(),
                next: None,
            }));
            r.alloc(Mut::new(Node {
                name: "first".into(),
                next: Some(next),
            }))
        });
        Some(*iso.freeze(m))
    });
    heap.collect();
    heap.turn(|m, published| {
        let ice: &Ice<Mut<Node<'_>>> = Val::as_ref(published.unwrap());
        let length = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                // A reference that this thread has read may leave it by a parcel, and only by a
                // parcel.
                let next = ice.read().next.unwrap();
                let parcel = Parcel::<Val<'static, Ice<Mut<Node<'static>>>>>::new(next);
                parcel.look(|next| next.read().name.len())
            });
            let beside = m.val_str("made meanwhile").len();
            reader.join().unwrap() + beside
        });
        assert_eq!(length, 18);
    });
    heap.collect();
    assert!(heap.is_unshared());
}
