//! The graphs of the model's programs: how they are changed, and compared.

use super::iso::Iso;
use super::model::{Home, Model, Number};
use crate::gc::mutator::Mutator;
use crate::gc::stress::Chance;
use crate::object::gc::Gc;
use crate::orca::heap_id::HeapId;
use crate::sync::{Arc, Mutex};
use crate::types::ice::Ice;
use crate::types::leaf::Leaf;
use crate::types::mutable::Mut;
use crate::types::val::Val;
use std::collections::BTreeSet;
use vivant_macros::{Freeze, Object};

/// How often each object was dropped.
pub(super) type Ended = Arc<Mutex<Vec<u32>>>;

pub(super) struct Noted(Number, Ended);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap()[self.0] += 1;
    }
}

pub(super) type Tree<'gc> = Gc<'gc, Mut<Node<'gc>>>;
pub(super) type TreeIso = Iso<Tree<'static>>;

#[derive(Object, Freeze)]
#[object(crate = crate)]
pub(super) struct Node<'gc> {
    pub(super) noted: Leaf<Noted>,
    pub(super) next: Vec<Tree<'gc>>,
    pub(super) shared: Vec<Shared<'gc>>,
}

/// A shared object: a frozen tree, or an object allocated as shared, with or without components.
#[derive(Clone, Copy, Object, Freeze)]
#[object(crate = crate)]
pub(super) enum Shared<'gc> {
    Tree(Val<'gc, Ice<Mut<Node<'gc>>>>),
    Item(Val<'gc, Leaf<Noted>>),
    Whole(Val<'gc, Whole<'gc>>),
}

/// A container. Any heap may own its components. Some lie in an object of their own.
#[derive(Object)]
#[object(crate = crate)]
pub(super) struct Whole<'gc> {
    noted: Leaf<Noted>,
    some: Vec<Shared<'gc>>,
    rest: Val<'gc, [Shared<'gc>]>,
}

#[derive(Object)]
#[object(crate = crate)]
pub(super) struct State<'gc> {
    pub(super) own: Vec<Tree<'gc>>,
    pub(super) shared: Vec<Shared<'gc>>,
}

pub(super) fn number(tree: Tree<'_>) -> Number {
    tree.borrow().noted.0.0
}

impl<'gc> Shared<'gc> {
    pub(super) fn number(self) -> Number {
        match self {
            Shared::Tree(tree) => tree.read().noted.0.0,
            Shared::Item(item) => item.0.0,
            Shared::Whole(whole) => whole.noted.0.0,
        }
    }

    fn owner(self) -> HeapId {
        match self {
            Shared::Tree(tree) => Val::owner(tree),
            Shared::Item(item) => Val::owner(item),
            Shared::Whole(whole) => Val::owner(whole),
        }
    }

    /// Its references: to objects frozen with it, and to objects that were shared before.
    fn edges(self) -> [Vec<Shared<'gc>>; 2] {
        match self {
            Shared::Tree(tree) => {
                let frozen = tree.read();
                let next = frozen.next.iter().map(|tree| Shared::Tree(*tree));
                [next.collect(), frozen.shared.iter().map(read).collect()]
            }
            Shared::Item(_) => [Vec::new(), Vec::new()],
            Shared::Whole(whole) => {
                let parts = whole.some.iter().chain(&whole.rest[..]);
                [Vec::new(), parts.copied().collect()]
            }
        }
    }

    pub(super) fn parts(self) -> Vec<Shared<'gc>> {
        self.edges().concat()
    }
}

/// All trees reachable from a root, in the order in which they are found.
fn all<'gc>(root: Tree<'gc>) -> Vec<Tree<'gc>> {
    let (mut met, mut found, mut next) = (BTreeSet::from([number(root)]), vec![root], 0);
    while let Some(tree) = found.get(next).copied() {
        next += 1;
        for other in &tree.borrow().next {
            if met.insert(number(*other)) {
                found.push(*other);
            }
        }
    }
    found
}

/// The shared objects that a graph refers to, and their components.
pub(super) fn before(root: Tree<'_>) -> Vec<Shared<'_>> {
    let near = all(root)
        .into_iter()
        .flat_map(|tree| tree.borrow().shared.clone());
    near.flat_map(|shared| [vec![shared], shared.parts()].concat())
        .collect()
}

/// Reads a reference to a shared object in a frozen tree.
fn read<'gc>(shared: &Ice<Shared<'gc>>) -> Shared<'gc> {
    match shared.read() {
        FrozenShared::Tree(tree) => Shared::Tree(tree),
        FrozenShared::Item(item) => Shared::Item(item),
        FrozenShared::Whole(whole) => Shared::Whole(whole),
    }
}

fn new_number(model: &mut Model, ended: &Ended, home: Home) -> Leaf<Noted> {
    ended.lock().unwrap().push(0);
    Leaf(Noted(model.make(home, Vec::new()), ended.clone()))
}

pub(super) fn node<'r>(r: &Mutator<'r>, model: &mut Model, ended: &Ended, home: Home) -> Tree<'r> {
    r.alloc(Mut::new(Node {
        noted: new_number(model, ended, home),
        next: Vec::new(),
        shared: Vec::new(),
    }))
}

pub(super) fn item<'r>(
    r: &Mutator<'r>,
    model: &mut Model,
    ended: &Ended,
    heap: usize,
) -> Shared<'r> {
    Shared::Item(r.val(new_number(model, ended, Home::Shared(heap))))
}

/// Allocates a container with a few of these as its components; one may occur twice.
pub(super) fn whole<'r>(
    r: &Mutator<'r>,
    model: &mut Model,
    ended: &Ended,
    chance: &Chance,
    heap: usize,
    of: &[Shared<'r>],
) -> Shared<'r> {
    let any = |_| of.get(chance.below(of.len() as u64 + 1) as usize).copied();
    let mut some: Vec<Shared<'r>> = (0..=chance.below(3)).filter_map(any).collect();
    let noted = new_number(model, ended, Home::Shared(heap));
    model.things[noted.0.0].shared = some.iter().map(|part| part.number()).collect();
    let rest = some.split_off(chance.below(some.len() as u64 + 1) as usize);
    let rest = r.val_slice(rest);
    Shared::Whole(r.val(Whole { noted, some, rest }))
}

pub(super) fn link<'r>(r: &Mutator<'r>, model: &mut Model, from: Tree<'r>, to: Tree<'r>) {
    model.things[number(from)].next.push(number(to));
    from.borrow_mut(r).next.push(to);
}

/// Changes a graph at a random place, and returns the changed tree.
pub(super) fn change<'r>(
    r: &Mutator<'r>,
    model: &mut Model,
    ended: &Ended,
    chance: &Chance,
    root: Tree<'r>,
    home: Home,
) -> Tree<'r> {
    let trees = all(root);
    let some = || trees[chance.below(trees.len() as u64) as usize];
    let tree = some();
    match chance.below(8) {
        0..3 => {
            let new = node(r, model, ended, home);
            link(r, model, tree, new);
        }
        3 => link(r, model, tree, some()),
        4 => {
            model.things[number(tree)].next.pop();
            tree.borrow_mut(r).next.pop();
        }
        5 => {
            model.things[number(tree)].shared.pop();
            tree.borrow_mut(r).shared.pop();
        }
        _ => {}
    }
    tree
}

/// Traverses the real graphs beside the model's.
pub(super) struct Seen<'a> {
    pub(super) model: &'a Model,
    pub(super) ids: &'a [HeapId],
    /// The shared objects that are compared already.
    pub(super) met: BTreeSet<Number>,
}

impl Seen<'_> {
    pub(super) fn trees(&mut self, trees: &[Tree<'_>], expected: &[Number]) {
        let numbers: Vec<Number> = trees.iter().map(|tree| number(*tree)).collect();
        assert_eq!(numbers, expected);
        for tree in trees.iter().flat_map(|tree| all(*tree)) {
            let node = tree.borrow();
            let thing = &self.model.things[node.noted.0.0];
            let next: Vec<Number> = node.next.iter().map(|tree| number(*tree)).collect();
            assert_eq!(next, thing.next);
            self.shared(&node.shared, &thing.shared);
        }
    }

    pub(super) fn shared(&mut self, shared: &[Shared<'_>], expected: &[Number]) {
        let numbers: Vec<Number> = shared.iter().map(|shared| shared.number()).collect();
        assert_eq!(numbers, expected);
        let mut grey = shared.to_vec();
        while let Some(shared) = grey.pop() {
            let thing = &self.model.things[shared.number()];
            if !self.met.insert(shared.number()) {
                continue;
            }
            let Home::Shared(owner) = thing.home else {
                panic!("{} is not shared", shared.number())
            };
            assert_eq!(shared.owner(), self.ids[owner]);
            let edges = shared.edges();
            let numbers = |of: &Vec<Shared<'_>>| of.iter().map(|it| it.number()).collect();
            let numbers: [Vec<Number>; 2] = edges.each_ref().map(numbers);
            assert_eq!(numbers, [thing.next.clone(), thing.shared.clone()]);
            grey.extend(edges.concat());
        }
    }
}
