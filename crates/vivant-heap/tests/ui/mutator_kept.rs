//! Y1: the right to allocate does not outlive the turn either.

include!("shared/numbers.rs");

fn main() {
    let mut kept = None;
    heap().turn(|m, _| kept = Some(m));
}
