//! Y2: a slice of two brands.

include!("shared/numbers.rs");

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| {
        let number = m.alloc(Mut::new(1));
        other.turn(|m, _| {
            m.alloc_slice([number]);
        });
    });
}
