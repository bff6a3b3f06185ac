//! Programs of the Savina suite, each with its sizes and its checksum. `README.md` in this folder
//! says what each does, and how it differs from the original.
//!
//! - [`random`]: the generator of all of them.
//! - [`snapshot_point`](mod@snapshot_point): the place in each at which a snapshot is requested.
//! - [`grid`]: the graph of [`astar`].

mod astar;
mod banking;
mod barber;
mod cigsmok;
mod concdict;
mod concsll;
mod fjthrput;
mod grid;
mod nqueenk;
mod philosopher;
mod radixsort;
mod random;
#[cfg(test)]
mod small_sizes;
mod snapshot_point;
mod trapezoid;
mod uct;

pub(super) use astar::ASTAR;
pub(super) use banking::BANKING;
pub(super) use barber::BARBER;
pub(super) use cigsmok::CIGSMOK;
pub(super) use concdict::CONCDICT;
pub(super) use concsll::CONCSLL;
pub(super) use fjthrput::FJTHRPUT;
pub(super) use nqueenk::NQUEENK;
pub(super) use philosopher::PHILOSOPHER;
pub(super) use radixsort::RADIXSORT;
pub(super) use random::Random;
pub(crate) use snapshot_point::listen;
pub use snapshot_point::snapshot_points;
pub(super) use snapshot_point::{Halves, snapshot_point};
pub(super) use trapezoid::TRAPEZOID;
pub(super) use uct::UCT;

#[cfg(test)]
use crate::prelude::*;

/// A run with the default sizes.
#[cfg(test)]
fn defaults(bench: &Bench) -> Run {
    with(bench, &[])
}

/// A run with the default sizes, but for these.
#[cfg(test)]
fn with(bench: &Bench, chosen: &[(&'static str, u64)]) -> Run {
    let mut params = Params::defaults(bench.params);
    for (name, count) in chosen {
        params.set(name, Value::Count(*count));
    }
    Run {
        params,
        threads: 2,
        program: std::path::PathBuf::new(),
        corpus: None,
        expectation: crate::run::Expectation::AsStated,
        snapshots: None,
    }
}
