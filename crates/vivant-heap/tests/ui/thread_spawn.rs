//! A reference does not go to a thread.

include!("shared/numbers.rs");

fn main() {
    heap().turn(|_, numbers| {
        let number = numbers[0];
        std::thread::spawn(move || number.get());
    });
}
