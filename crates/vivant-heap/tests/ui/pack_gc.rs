//! A private reference in a message (Y3, O1).

use vivant_heap::*;

struct Private;
impl Root for Private {
    type Of<'gc> = (u64, Vec<Gc<'gc, u64>>);
}

struct Weakly;
impl Root for Weakly {
    type Of<'gc> = Weak<'gc, u64>;
}

fn sent<'gc>(m: &Mutator<'gc>, own: Gc<'gc, u64>) {
    let _parcel = m.pack::<Private>((1, vec![own]));
    let _parcel = m.pack::<Weakly>(Weak::new(m, own));
}

fn main() {}
