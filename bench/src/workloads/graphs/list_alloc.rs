//! A list that grows and stays: the cost of a heap without garbage.
//!
//! Protocol: `list-alloc` of the Alligator paper: a list of the numbers from `n` down to 1 is made,
//! kept, and traversed twice. A step makes, or visits, a fixed number of links.
//!
//! Timed: from the request to its answer. An operation is a link.

use super::with_collections;
use crate::prelude::*;
use vivant::prelude::*;

pub(in crate::workloads) const LIST_ALLOC: Bench = Bench::new(
    Group::Graphs,
    "list_alloc",
    "a list that grows and stays, in the heap of one actor",
    &[
        Param::count("links", 10_000_000, 5_000, "links"),
        Param::count("a_step", 10_000, 100, "links of a step"),
    ],
    run,
);

#[derive(Object)]
struct Link<'gc> {
    value: u64,
    next: Option<Gc<'gc, Link<'gc>>>,
}

/// How far a walk has come.
#[derive(Object, Default)]
struct Walk<'gc> {
    at: Option<Gc<'gc, Link<'gc>>>,
    walks: u64,
    sum: u64,
}

#[derive(Actor)]
struct ListState<'gc> {
    first: Option<Gc<'gc, Link<'gc>>>,
    a_step: u64,
}

#[behaviours]
impl<'gc> ListState<'gc> {
    #[start]
    fn new(a_step: u64) -> Self {
        ListState {
            first: None,
            a_step,
        }
    }

    fn grow(&mut self, t: &Turn<'gc, List>, links: u64, from: u64) -> Step<(u64, u64), ()> {
        let until = links.min(from + self.a_step);
        for value in from..until {
            let next = self.first;
            self.first = Some(t.alloc(Link { value, next }));
        }
        match until == links {
            true => Step::Done(()),
            false => Step::Again((links, until)),
        }
    }

    /// The sum of all links, twice.
    fn sum(&self, #[locals] walk: Walk<'gc>) -> Step<Walk<'gc>, u64> {
        let Walk {
            mut at,
            mut walks,
            mut sum,
        } = walk;
        for _ in 0..self.a_step {
            if at.is_none() {
                if walks == 2 {
                    return Step::Done(sum);
                }
                walks += 1;
                at = self.first;
            }
            if let Some(link) = at {
                sum += link.value;
                at = link.next;
            }
        }
        Step::Again(Walk { at, walks, sum })
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let links = run.count("links");
    let system = run.system();
    let list = List::spawn(&system, run.count("a_step"));
    let meter = Meter::start();
    list.grow(links, 0).ask_blocking()?;
    let sum = list.sum().ask_blocking()?;
    let spent = meter.stop();
    let check = run.check("sum of all links, twice", links * (links - 1), sum)?;
    let figures = Figures::new(spent, links, check);
    Ok(vec![with_collections(figures, &system)])
}
