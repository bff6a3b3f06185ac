//! A file cannot restore sharing.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: std::sync::atomic::AtomicU64,
}

fn main() {}
