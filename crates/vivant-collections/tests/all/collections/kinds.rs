//! Elements of many kinds, each with a number.

use std::cell::RefCell;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use vivant_heap::{Gc, Leaf, Mut, Mutator, Object};

/// A kind of elements.
pub(crate) trait Kind: 'static {
    type Of<'gc>: Object<'gc>;
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> Self::Of<'gc>;
    fn number(of: &Self::Of<'_>) -> u64;
}

/// A kind of elements that can be keys.
pub(crate) trait Key: 'static {
    type Of: for<'gc> Object<'gc> + Hash + Eq + Ord + Clone + Debug;
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

/// Refers to a mutable object: an element written through the collection can become young again.
pub(crate) struct Reference;

impl Kind for Reference {
    type Of<'gc> = Gc<'gc, Mut<u64>>;
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> Self::Of<'gc> {
        m.alloc(Mut::new(number))
    }
    fn number(of: &Self::Of<'_>) -> u64 {
        of.get()
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

pub(crate) struct Large;

impl Kind for Large {
    type Of<'gc> = [u64; 25];
    fn make<'gc>(_: &Mutator<'gc>, number: u64) -> Self::Of<'gc> {
        [number; 25]
    }
    fn number(of: &Self::Of<'_>) -> u64 {
        assert_eq!(of[0], of[24]);
        of[0]
    }
}

/// Larger than a chunk should be, with a reference in it.
pub(crate) struct Huge;

impl Kind for Huge {
    type Of<'gc> = (Gc<'gc, u64>, [u64; 280]);
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> Self::Of<'gc> {
        (m.alloc(number), [number; 280])
    }
    fn number(of: &Self::Of<'_>) -> u64 {
        assert_eq!(*of.0, of.1[279]);
        *of.0
    }
}

/// Has a destructor and a reference.
pub(crate) struct Ending;

impl Kind for Ending {
    type Of<'gc> = (Leaf<Noted>, Gc<'gc, u64>);
    fn make<'gc>(m: &Mutator<'gc>, number: u64) -> Self::Of<'gc> {
        let to = m.alloc(number);
        (Leaf(Noted::new()), to)
    }
    fn number(of: &Self::Of<'_>) -> u64 {
        of.0.0.assert_alive();
        *of.1
    }
}

thread_local! {
    /// The number of drops of each value that this test made.
    static ENDED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Counts its drop.
#[derive(Debug)]
pub(crate) struct Noted(usize);

impl Noted {
    pub(crate) fn new() -> Noted {
        ENDED.with_borrow_mut(|ended| {
            ended.push(0);
            Noted(ended.len() - 1)
        })
    }

    pub(crate) fn assert_alive(&self) {
        assert_eq!(ENDED.with_borrow(|ended| ended[self.0]), 0);
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        ENDED.with_borrow_mut(|ended| ended[self.0] += 1);
    }
}

/// Asserts that each value was dropped once.
pub(crate) fn assert_all_ended() {
    let ended = ENDED.take();
    assert!(ended.iter().all(|&times| times == 1), "{ended:?}");
}

impl Key for Number {
    type Of = u64;
    fn make(number: u64) -> u64 {
        number
    }
}

pub(crate) struct Text;

impl Key for Text {
    type Of = String;
    fn make(number: u64) -> String {
        format!("the key of number {number}")
    }
}

/// Hashes to one of a few values.
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
        Leaf(Alike(number))
    }
}

/// Counts its drop, as a key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NotedKey(u64, std::sync::Arc<[u8; 600]>);

pub(crate) struct Shared;

impl Key for Shared {
    type Of = Leaf<(NotedKey, [u64; 30])>;
    fn make(number: u64) -> Self::Of {
        Leaf((
            NotedKey(number, std::sync::Arc::new([0; 600])),
            [number; 30],
        ))
    }
}
