//! Y6: types that can be shared and sent, by the derive alone; types that cannot are objects all
//! the same.

#![allow(
    clippy::extra_unused_lifetimes,
    reason = "a brand that only the body names"
)]
#![allow(dead_code, reason = "types that compile, most of which no value has")]

use std::cell::Cell;
use std::sync::Arc;
use vivant_heap::*;

#[derive(Object)]
#[object(leaf)]
struct NotSync(Cell<u8>);

#[derive(Object)]
struct WithLeaf {
    #[object(leaf)]
    cell: Cell<u8>,
    plain: String,
}

#[derive(Object)]
struct Tree<'gc> {
    left: Option<Val<'gc, Tree<'gc>>>,
    right: Option<Val<'gc, Tree<'gc>>>,
    names: Vec<Val<'gc, str>>,
}

#[derive(Object)]
enum Either<'gc, T> {
    One(T),
    Many(Val<'gc, [T]>),
    Shared(Arc<u64>),
}

#[derive(Object)]
struct Graph<'gc> {
    next: Option<Gc<'gc, Mut<Graph<'gc>>>>,
}

#[derive(Object)]
#[object(leaf)]
struct Generic<T>(T);

fn erased<T: Erased>() {}

fn frozen<'gc, T: Frozen<'gc>>() {}
fn sendable<'gc, T: Sendable<'gc>>() {}
fn object<'gc, T: Object<'gc>>() {}

type Parcels = (
    Tree<'static>,
    Either<'static, Generic<u8>>,
    Graph<'static>,
    Generic<NotSync>,
);

#[test]
fn shared_types_need_only_the_derive() {
    fn all<'gc>() {
        frozen::<Tree<'gc>>();
        frozen::<Either<'gc, Tree<'gc>>>();
        sendable::<Tree<'gc>>();
        sendable::<Either<'gc, NotSync>>();
        sendable::<WithLeaf>();
        sendable::<Leaf<Cell<u8>>>();
        object::<Graph<'gc>>();
        object::<NotSync>();
    }
    all();
    erased::<Parcels>();
}
