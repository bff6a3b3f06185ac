//! The order of a `HashMap` is another one in each run.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: std::collections::HashMap<u8, u8>,
}

fn main() {}
