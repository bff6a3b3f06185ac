//! Nor does the right to allocate.

include!("shared/numbers.rs");

fn main() {
    heap().turn(|m, _| {
        std::thread::scope(|threads| {
            threads.spawn(|| drop(m.alloc(1)));
        });
    });
}
