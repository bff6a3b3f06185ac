//! Collections with an injected fault, or constructed wrongly, which `verify` has to detect.

use crate::injected_fault::{self, InjectedFault};
use crate::val;
use std::hash::BuildHasher;
use std::sync::Arc;
use vivant_heap::{FixedState, Heap, Mutator, Pacing, PageSource, Root};

struct Nothing;

impl Root for Nothing {
    type Of<'gc> = ();
}

fn in_turn(test: impl for<'gc> FnOnce(&Mutator<'gc>)) {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Nothing>::new(&source, Pacing::default(), |_| ());
    heap.turn(|m, ()| test(m));
}

/// The first digit of a number's hash.
fn digit(number: u64) -> u64 {
    FixedState.hash_one(number) >> 59
}

/// A number with a first hash digit that `matches` accepts.
fn number(matches: impl Fn(u64) -> bool) -> u64 {
    (1..).find(|&number| matches(digit(number))).unwrap_or(0)
}

#[test]
fn self_test_a_single_entry_with_its_own_node_is_caught() {
    in_turn(|m| {
        let (one, other) = (0, number(|digit| digit == self::digit(0)));
        let map = val::Map::from_iter(m, [(one, 1), (other, 2)]);
        assert_eq!(map.verify(), Ok(()));
        assert_eq!(map.remove(m, &one).verify(), Ok(()));
        let broken = injected_fault::with(InjectedFault::LoneEntry, || map.remove(m, &one));
        assert_eq!(broken.get(&other), Some(&2), "it can be read");
        assert_eq!(broken.verify().map_err(|fault| fault.rule), Err("J3"));
    });
}

/// The rule that a map violates after the removal of its first entries.
fn broken_by_removal<'gc>(
    m: &Mutator<'gc>,
    mut map: val::OrdMap<'gc, u64, ()>,
) -> Option<&'static str> {
    for key in 0..12 {
        map = map.remove(m, &key);
    }
    map.verify().err().map(|fault| fault.rule)
}

#[test]
fn self_test_a_node_below_the_minimum_is_caught() {
    in_turn(|m| {
        let whole = val::OrdMap::from_iter(m, (0..33).map(|key| (key, ())));
        assert_eq!(broken_by_removal(m, whole), None);
        let broken = injected_fault::with(InjectedFault::SmallNode, || broken_by_removal(m, whole));
        assert_eq!(broken, Some("J5"));
    });
}

#[test]
fn self_test_a_chunk_below_the_minimum_is_caught() {
    in_turn(|m| {
        let one = val::String::from_str(m, "rain");
        assert_eq!(one.concat(m, one).verify(), Ok(()));
        let broken = injected_fault::with(InjectedFault::SmallNode, || one.concat(m, one));
        assert_eq!(broken, "rainrain", "it can be read");
        assert_eq!(broken.verify().map_err(|fault| fault.rule), Err("J6"));
    });
}

#[test]
fn self_test_keys_with_a_changed_hash_are_caught() {
    use std::hash::{Hash, Hasher};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Clone)]
    struct Fickle(Arc<AtomicU64>);
    impl Hash for Fickle {
        fn hash<H: Hasher>(&self, hasher: &mut H) {
            // No other thread uses it: no order is needed.
            hasher.write_u64(self.0.load(Ordering::Relaxed));
        }
    }
    impl PartialEq for Fickle {
        fn eq(&self, other: &Self) -> bool {
            Arc::ptr_eq(&self.0, &other.0)
        }
    }
    impl Eq for Fickle {}

    in_turn(|m| {
        let key = Fickle(Arc::new(AtomicU64::new(0)));
        let map = val::Map::new().insert(m, vivant_heap::Leaf(key.clone()), ());
        assert_eq!(map.verify(), Ok(()));
        // Its first digit differs from that of zero.
        let other = number(|digit| digit != self::digit(0));
        key.0.store(other, Ordering::Relaxed);
        assert_eq!(map.verify().map_err(|fault| fault.rule), Err("J2"));
    });
}
