//! A field of a type without the derive, inside of a container.

use vivant_codec::Saved;

struct Seat(u8);

#[derive(Saved)]
struct State {
    seats: Vec<Seat>,
}

fn main() {}
