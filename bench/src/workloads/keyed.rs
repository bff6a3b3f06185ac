//! Collections of keys and values, side by side: what is to be done with them, and a row for each
//! operation of each.

use crate::prelude::*;
use std::hint::black_box;

/// Operations of one turn.
pub(super) const TURN: usize = 1024;

/// A kind, the library it comes from, and its operations. Times are relative to the first of a
/// kind.
pub(super) type Side<const OPERATIONS: usize> =
    (&'static str, &'static str, fn(&Load) -> [Done; OPERATIONS]);

/// The workload.
pub(super) struct Load {
    /// Keys in the order of insertion, and in that of change and look-up.
    pub(super) insert: Vec<u64>,
    pub(super) get: Vec<u64>,
    repeats: u64,
}

/// The time, and the number of entries, or of even values.
pub(super) struct Done {
    spent: Spent,
    sum: u64,
}

impl Load {
    pub(super) fn new(run: &Run, key: fn(u64) -> u64) -> Load {
        let elements = run.count("elements");
        let insert: Vec<u64> = (0..elements).map(key).collect();
        let mut get = insert.clone();
        get.sort_unstable_by_key(|&key| mixed(!key));
        Load {
            insert,
            get,
            repeats: run.count("operations").div_ceil(elements),
        }
    }

    /// What each repetition gives, added up.
    pub(super) fn timed(&self, mut once: impl FnMut() -> u64) -> Done {
        let meter = Meter::start();
        let sum = (0..self.repeats).map(|_| black_box(once())).sum();
        let spent = meter.stop();
        Done { spent, sum }
    }

    pub(super) fn evens(&self, look: impl Fn(u64) -> Option<u64>) -> u64 {
        let found = self.get.iter().filter_map(|&key| look(key));
        found.filter(|value| value % 2 == 0).count() as u64
    }
}

/// A number for a number, in no order.
pub(super) fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// Runs all sides in each round; rows call the kind by the name `of_kind`. Values are the keys'
/// complements.
pub(super) fn compare<'a, const OPERATIONS: usize>(
    run: &Run,
    of_kind: &'static str,
    operations: [&'static str; OPERATIONS],
    sides: &[Side<OPERATIONS>],
    load: impl Fn(&str) -> &'a Load,
) -> Result<Vec<Figures>, Failure> {
    let mut rounds: Vec<[Vec<Done>; OPERATIONS]> = sides
        .iter()
        .map(|_| [const { Vec::new() }; OPERATIONS])
        .collect();
    for _ in 0..run.count("rounds") {
        for ((kind, _, work), done) in sides.iter().zip(&mut rounds) {
            for (done, new) in done.iter_mut().zip(work(load(kind))) {
                done.push(new);
            }
        }
    }
    let elements = run.count("elements");
    let mut rows = Vec::new();
    for (number, operation) in operations.into_iter().enumerate() {
        let mut base = None;
        for ((kind, side, _), done) in sides.iter().zip(&mut rounds) {
            let load = load(kind);
            let (what, expected) = match operation {
                "get" => ("even values", load.evens(|key| Some(!key))),
                _ => ("entries", elements),
            };
            let done = &mut done[number];
            let mut check = String::new();
            for done in &*done {
                check = run.check(what, expected * load.repeats, done.sum)?;
            }
            done.sort_by_key(|done| done.spent.wall);
            let middle = done.swap_remove(done.len() / 2).spent;
            if *side == "std" {
                base = Some(middle);
            }
            let mut figures = Figures::new(middle, elements * load.repeats, check);
            figures.params = vec![
                (of_kind, Value::Choice(kind)),
                ("operation", Value::Choice(operation)),
                ("side", Value::Choice(side)),
            ];
            if let Some(base) = base {
                figures.add_relative_time(base);
            }
            rows.push(figures);
        }
    }
    Ok(rows)
}
