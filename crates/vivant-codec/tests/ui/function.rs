//! Code has no name in a file.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: fn(u8) -> u8,
}

fn main() {}
