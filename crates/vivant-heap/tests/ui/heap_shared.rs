//! A heap is for one thread at a time.

include!("shared/numbers.rs");

fn shared<T: Sync>(_: &T) {}

fn main() {
    shared(&heap());
}
