//! Y1: nor into a variable outside.

include!("shared/numbers.rs");

fn main() {
    let mut kept = None;
    heap().turn(|m, _| kept = Some(m.alloc(1)));
}
