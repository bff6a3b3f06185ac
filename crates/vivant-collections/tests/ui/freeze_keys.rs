//! Y6: a reader of a frozen map runs the keys' hashes and comparisons, which must not reach
//! anything that changes.

use std::cmp::Ordering;
use vivant_collections::gc;
use vivant_heap::*;

#[derive(Object)]
struct Key<'gc>(Gc<'gc, Mut<u64>>);

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}
impl Eq for Key<'_> {}
impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.get().cmp(&other.0.get())
    }
}

fn needs<'gc, T: Freeze<'gc>>() {}

fn asked<'gc>(_: &Mutator<'gc>) {
    needs::<gc::BTreeMap<'gc, u64, Gc<'gc, Mut<u64>>>>();
    needs::<gc::BTreeMap<'gc, Key<'gc>, u64>>();
}

fn main() {}
