//! Y1: nor as a borrow of the value.

include!("shared/numbers.rs");

fn main() {
    let mut kept = None;
    heap().turn(|_, numbers| kept = Some(numbers[0].borrow()));
}
