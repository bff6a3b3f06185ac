//! A private reference in a message (Y3, O1).

use vivant_heap::*;

fn sent<'gc>(m: &Mutator<'gc>, own: Gc<'gc, u64>) {
    let _parcel = m.pack::<(u64, Vec<Gc<'static, u64>>)>((1, vec![own]));
    let _parcel = m.pack::<Weak<'static, u64>>(Weak::new(m, own));
}

fn main() {}
