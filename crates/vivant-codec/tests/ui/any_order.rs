//! `any_order` is for hash maps and sets.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    #[saved(any_order)]
    seats: Vec<u8>,
}

fn main() {}
