//! Nor to one that ends within the turn: cells are not for two threads.

include!("shared/numbers.rs");

fn main() {
    heap().turn(|_, numbers| {
        let number = numbers[0];
        std::thread::scope(|threads| {
            threads.spawn(move || number.get());
        });
    });
}
