//! H5: a write needs the mutator.

include!("shared/numbers.rs");

fn main() {
    heap().turn(|_, numbers| *numbers[0].borrow_mut() = 1);
}
