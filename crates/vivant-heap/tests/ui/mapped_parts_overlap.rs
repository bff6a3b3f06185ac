//! Two parts that are written are two.

use vivant_heap::*;

fn same<'gc>(m: &Mutator<'gc>, number: Gc<'gc, Mut<u64>>) -> (RefMut<'gc, u64>, RefMut<'gc, u64>) {
    RefMut::map_split(number.borrow_mut(m), |number| (&mut *number, &mut *number))
}

fn main() {}
