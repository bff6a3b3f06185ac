//! H5: and that of the same heap.

include!("shared/numbers.rs");

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| other.turn(|_, numbers| *numbers[0].borrow_mut(m) = 1));
}
