//! Y2: a reference to one heap in the state of another.

include!("shared/numbers.rs");

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| {
        let number = m.alloc(Mut::new(1));
        other.turn(|_, numbers| numbers.push(number));
    });
}
