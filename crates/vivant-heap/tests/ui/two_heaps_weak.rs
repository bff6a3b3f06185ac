//! Y2: a weak reference from one heap to another.

include!("shared/numbers.rs");

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| {
        let number = m.alloc(Mut::new(1));
        other.turn(|m, _| {
            Weak::new(m, number);
        });
    });
}
