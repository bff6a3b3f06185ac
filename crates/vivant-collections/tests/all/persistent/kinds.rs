//! Elements and keys of many kinds, each with a number.

use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, Hasher};
use vivant_heap::{FixedState, Frozen, Leaf, Mutator, Val};

/// A kind of elements.
pub(crate) trait Kind: 'static {
    type Of<'gc>: Frozen<'gc> + Clone + PartialEq + Debug;
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> Self::Of<'gc>;
    fn number(of: &Self::Of<'_>) -> u64;
}

/// A kind of elements that can be keys.
pub(crate) trait Key: 'static {
    type Of: for<'gc> Frozen<'gc> + Hash + Ord + Clone + Debug;
    fn make(number: u64) -> Self::Of;
}

pub(crate) struct Number;

impl Kind for Number {
    type Of<'gc> = u64;
    fn make<'gc>(_: &Mutator<'gc>, number: u64) -> u64 {
        number
    }
    fn number(of: &u64) -> u64 {
        *of
    }
}

impl Key for Number {
    type Of = u64;
    fn make(number: u64) -> u64 {
        number
    }
}

/// Refers to another object.
pub(crate) struct Reference;

/// A reference that is compared by its referent.
#[derive(Clone, Copy, Debug, vivant_heap::Object)]
pub(crate) struct To<'gc>(Val<'gc, u64>);

impl PartialEq for To<'_> {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Kind for Reference {
    type Of<'gc> = To<'gc>;
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> To<'gc> {
        To(m.val(number))
    }
    fn number(of: &To<'_>) -> u64 {
        *of.0
    }
}

/// Has size zero. All numbers are zero.
pub(crate) struct Nothing;

impl Kind for Nothing {
    type Of<'gc> = ();
    fn make<'gc>(_: &Mutator<'gc>, _: u64) {}
    fn number((): &()) -> u64 {
        0
    }
}

/// Has a destructor.
pub(crate) struct Text;

impl Kind for Text {
    type Of<'gc> = String;
    fn make<'gc>(_: &Mutator<'gc>, number: u64) -> String {
        number.to_string()
    }
    fn number(of: &String) -> u64 {
        of.parse().unwrap()
    }
}

impl Key for Text {
    type Of = String;
    fn make(number: u64) -> String {
        number.to_string()
    }
}

/// Hashes to one of two values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Alike(u64);

impl Hash for Alike {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0 % 2);
    }
}

pub(crate) struct Colliding;

impl Key for Colliding {
    type Of = Leaf<Alike>;
    fn make(number: u64) -> Leaf<Alike> {
        Leaf(Alike(number % 40))
    }
}

/// Numbers with hashes that begin with the same 10 bits.
pub(crate) struct Crowded;

impl Key for Crowded {
    type Of = u64;
    fn make(number: u64) -> u64 {
        CROWDED.with(|numbers| numbers[number as usize % numbers.len()])
    }
}

thread_local! {
    static CROWDED: Vec<u64> = {
        let begins_with_ten_zeros = |number: &u64| FixedState.hash_one(*number) >> 54 == 0;
        let count = if cfg!(miri) { 3 } else { 20 };
        (0..).filter(begins_with_ten_zeros).take(count).collect()
    };
}
