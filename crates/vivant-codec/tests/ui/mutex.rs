//! A file cannot restore sharing.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: std::sync::Arc<std::sync::Mutex<u8>>,
}

fn main() {}
