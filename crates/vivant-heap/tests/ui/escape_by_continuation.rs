//! Y1: nor in a closure that is kept for later.

include!("shared/numbers.rs");

fn main() {
    let mut later: Vec<Box<dyn FnOnce()>> = Vec::new();
    heap().turn(|m, numbers| {
        let number = numbers[0];
        later.push(Box::new(move || println!("{}", number.get())));
        let _ = m;
    });
}
