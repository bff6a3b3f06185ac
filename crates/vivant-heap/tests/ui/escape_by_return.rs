//! Y1: a reference does not leave its turn as the result.

include!("shared/numbers.rs");

fn main() {
    let _kept = heap().turn(|m, _| m.alloc(1));
}
