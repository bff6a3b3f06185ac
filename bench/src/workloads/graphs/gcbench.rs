//! Trees that live long and trees that do not, in the heap of one actor.
//!
//! Protocol: GCBench of J. Ellis, P. Kovac and H. Boehm, with its own sizes, as `gcbench_single` has it for counted pointers: a tree of depth 18 that is
//! forgotten, one of depth 16 and an array of 500,000 numbers that stay, and for the depths 4, 6 … 16 trees that are made from the
//! top down (each node is written after it was made) and from the bottom up. A tree is a step.
//!
//! Timed: from the question to its answer. An operation is a node.

use super::{heaps, with_distribution, with_pauses};
use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::meter::Meter;
use crate::param::Param;
use crate::row::Figures;
use crate::run::Run;
use vivant::heap::Mutator;
use vivant::prelude::*;

pub(in crate::workloads) const GCBENCH: Bench = Bench {
    name: "gcbench",
    about: "GCBench in the heap of one actor",
    group: Group::Graphs,
    peer_ops: None,
    params: &[Param::count("depth", 18, 8, "depth of the first tree")],
    run,
    child: None,
};

const LEAST_DEPTH: u64 = 4;
const ARRAY: usize = 500_000;

#[derive(Object, Default)]
struct Node<'gc> {
    left: Option<Gc<'gc, Mut<Node<'gc>>>>,
    right: Option<Gc<'gc, Mut<Node<'gc>>>>,
    /// Two numbers that every node has, and nobody sets.
    i: i32,
    j: i32,
}

type Tree<'gc> = Gc<'gc, Mut<Node<'gc>>>;

fn size(depth: u64) -> u64 {
    (1 << (depth + 1)) - 1
}

fn iterations(stretch: u64, depth: u64) -> u64 {
    2 * size(stretch) / size(depth)
}

/// From the top down.
fn populate<'gc>(m: &Mutator<'gc>, depth: u64, tree: Tree<'gc>) {
    if depth > 0 {
        let (left, right) = (leaf(m), leaf(m));
        let mut node = tree.borrow_mut(m);
        (node.left, node.right) = (Some(left), Some(right));
        drop(node);
        populate(m, depth - 1, left);
        populate(m, depth - 1, right);
    }
}

fn leaf<'gc>(m: &Mutator<'gc>) -> Tree<'gc> {
    m.alloc(Mut::new(Node::default()))
}

/// From the bottom up.
fn make<'gc>(m: &Mutator<'gc>, depth: u64) -> Tree<'gc> {
    let mut node = Node::default();
    if depth > 0 {
        node.left = Some(make(m, depth - 1));
        node.right = Some(make(m, depth - 1));
    }
    m.alloc(Mut::new(node))
}

/// How far it is to the end, always to the left.
fn depth(tree: Tree<'_>) -> u64 {
    tree.borrow().left.map_or(0, |left| 1 + depth(left))
}

fn nodes(tree: Tree<'_>) -> u64 {
    let node = tree.borrow();
    let children = [node.left, node.right];
    1 + (node.i + node.j) as u64 + children.into_iter().flatten().map(nodes).sum::<u64>()
}

#[derive(Actor)]
struct WorkState<'gc> {
    stays: Option<Tree<'gc>>,
    array: Vec<f64>,
}

#[behaviours]
impl<'gc> WorkState<'gc> {
    #[start]
    fn new() -> Self {
        WorkState {
            stays: None,
            array: Vec::new(),
        }
    }

    /// The depths of all trees that do not stay, and the nodes of the one that does.
    fn go(
        &mut self,
        t: &Turn<'gc, Work>,
        stretch: u64,
        goal: u64,
        number: u64,
        sum: u64,
    ) -> Step<(u64, u64, u64, u64), u64> {
        let Some(stays) = self.stays else {
            let sum = depth(make(t, stretch));
            let stays = leaf(t);
            populate(t, stretch - 2, stays);
            self.stays = Some(stays);
            self.array = vec![0.0; ARRAY];
            let filled = self.array.iter_mut().enumerate().take(ARRAY / 2).skip(1);
            filled.for_each(|(at, place)| *place = 1.0 / at as f64);
            return Step::Again((stretch, goal, 0, sum));
        };
        if goal > stretch - 2 {
            return Step::Done(sum + nodes(stays));
        }
        let of_each = iterations(stretch, goal);
        let tree = if number < of_each {
            let tree = leaf(t);
            populate(t, goal, tree);
            tree
        } else {
            make(t, goal)
        };
        let sum = sum + depth(tree);
        if number + 1 < 2 * of_each {
            Step::Again((stretch, goal, number + 1, sum))
        } else {
            Step::Again((stretch, goal + 2, 0, sum))
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let stretch = run.count("depth");
    let goals = || (LEAST_DEPTH..=stretch - 2).step_by(2);
    let system = run.system();
    let work = Work::spawn(&system);
    let meter = Meter::start();
    let got = work.go(stretch, LEAST_DEPTH, 0, 0).ask_blocking()?;
    let spent = meter.stop();
    let depths: u64 = goals()
        .map(|goal| 2 * iterations(stretch, goal) * goal)
        .sum();
    let expected = stretch + depths + size(stretch - 2);
    let check = run.check("depths and nodes", expected, got)?;
    let made: u64 = goals()
        .map(|goal| 2 * iterations(stretch, goal) * size(goal))
        .sum();
    let figures = Figures::new(spent, made + size(stretch) + size(stretch - 2), check);
    let figures = with_pauses(figures, heaps(&system));
    Ok(vec![with_distribution(figures, &system)])
}
