//! The order of a `HashSet` is another one in each run.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: std::collections::HashSet<u8>,
}

fn main() {}
