//! H12: what can be as deep as its user likes is linked by references; a leaf may be what it likes.

use std::collections::HashMap;
use vivant_heap::*;

#[derive(Object)]
struct List<'gc> {
    number: Gc<'gc, u64>,
    next: Option<Box<List<'gc>>>,
}

#[derive(Object)]
enum Tree<'gc> {
    Leaf(Gc<'gc, u64>),
    Branches(Vec<Mut<Self>>),
    Named(HashMap<String, (Tree<'gc>, u64)>),
}

#[derive(Object)]
#[object(leaf)]
enum Json {
    Number(f64),
    Array(Vec<Json>),
}

#[derive(Object)]
struct Linked<'gc> {
    next: Option<Gc<'gc, Mut<Linked<'gc>>>>,
    json: Json,
}

fn main() {}
