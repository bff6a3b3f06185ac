//! `Instant` has no meaning in another process.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: std::time::Instant,
}

fn main() {}
