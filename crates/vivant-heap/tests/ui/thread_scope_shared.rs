//! Nor by a reference to it.

include!("shared/numbers.rs");

fn main() {
    heap().turn(|_, numbers| {
        std::thread::scope(|threads| {
            threads.spawn(|| numbers[0].get());
        });
    });
}
