//! Each program at the sizes at which it has least to do, or most to wait for.

use super::*;
use crate::prelude::*;

fn is_right(bench: &Bench, sizes: &[(&'static str, u64)]) {
    let rows = bench.run(&with(bench, sizes));
    rows.unwrap_or_else(|failure| panic!("{bench:?} {sizes:?}: {failure}"));
}

#[test]
fn one_of_each() {
    is_right(&FJTHRPUT, &[("messages", 1), ("actors", 1)]);
    is_right(&PHILOSOPHER, &[("philosophers", 2), ("meals", 1)]);
    is_right(&CIGSMOK, &[("rounds", 1), ("smokers", 1)]);
    is_right(&BANKING, &[("accounts", 10), ("transfers", 1)]);
    is_right(&RADIXSORT, &[("numbers", 1), ("bits", 16)]);
    is_right(&TRAPEZOID, &[("pieces", 1), ("workers", 1)]);
    let one_request = [("workers", 1), ("requests", 1)];
    is_right(&CONCSLL, &one_request);
    is_right(&CONCDICT, &[one_request[0], one_request[1], ("entries", 1)]);
    let least_work = [("haircut", 1), ("arrival", 1), ("seats", 1)];
    is_right(&BARBER, &[&least_work[..], &[("haircuts", 1)]].concat());
    is_right(&ASTAR, &[("workers", 1), ("grid", 2)]);
    is_right(&NQUEENK, &[("workers", 1), ("size", 1), ("threshold", 1)]);
}

#[test]
fn nothing_but_writes_and_nothing_but_inserts() {
    let few = [("workers", 3), ("requests", 50)];
    is_right(&CONCDICT, &[few[0], few[1], ("writes", 100)]);
    is_right(&CONCDICT, &[few[0], few[1], ("writes", 0)]);
    is_right(&CONCSLL, &[few[0], few[1], ("inserts", 100), ("sizes", 0)]);
    is_right(&CONCSLL, &[few[0], few[1], ("inserts", 0), ("sizes", 100)]);
}

#[test]
fn a_room_with_one_seat() {
    is_right(&BARBER, &[("haircuts", 100), ("seats", 1), ("arrival", 1)]);
}

#[test]
fn workers_without_pieces() {
    is_right(&TRAPEZOID, &[("pieces", 3), ("workers", 10)]);
}

#[test]
fn more_bits_than_a_number_has() {
    is_right(&RADIXSORT, &[("numbers", 500), ("bits", 70)]);
}

#[test]
fn a_node_at_a_time() {
    is_right(&ASTAR, &[("threshold", 1), ("grid", 10), ("work", 0)]);
}

#[test]
fn every_board_is_dealt_out() {
    is_right(&NQUEENK, &[("size", 6), ("threshold", 6)]);
    is_right(&NQUEENK, &[("size", 6), ("threshold", 9)]);
}

#[test]
fn no_solutions_and_enough_solutions() {
    is_right(&NQUEENK, &[("size", 3), ("threshold", 1)]);
    is_right(&NQUEENK, &[("size", 8), ("limit", 10)]);
}
