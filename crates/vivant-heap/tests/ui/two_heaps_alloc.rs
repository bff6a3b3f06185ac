//! Y2: an object of two brands, which a downcast would take for one of one.

include!("shared/numbers.rs");

fn main() {
    let (mut one, mut other) = (heap(), heap());
    one.turn(|m, _| {
        let number = m.alloc(Mut::new(1));
        other.turn(|m, numbers| {
            let mixed = unsize!(m.alloc(Some(number)) => dyn Anything);
            let back: Gc<'_, Option<Gc<'_, Mut<u64>>>> = Gc::downcast(mixed).unwrap();
            numbers.extend(*back);
        });
    });
}
