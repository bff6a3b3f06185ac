//! `Borrow` of [`Leaf`]: maps with such keys are searched by the leaf's value, and by what that
//! value borrows as.
//!
//! One impl for all `T: Borrow<Q>` would overlap with the standard library's `Borrow<T> for T`. So
//! there is one for the value itself, and one for each type of the standard library that borrows as
//! another.

use super::leaf::Leaf;
use std::borrow::{Borrow, Cow};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl<T> Borrow<T> for Leaf<T> {
    #[inline]
    fn borrow(&self) -> &T {
        &self.0
    }
}

macro_rules! borrow_as {
    ($([$($parameters:tt)*] $leaf:ty, $borrowed:ty;)*) => {$(
        impl<$($parameters)*> Borrow<$borrowed> for Leaf<$leaf> {
            #[inline]
            fn borrow(&self) -> &$borrowed {
                self.0.borrow()
            }
        }
    )*};
}

borrow_as! {
    [] String, str;
    [] PathBuf, Path;
    [] OsString, OsStr;
    [] CString, CStr;
    [T] Vec<T>, [T];
    [T, const N: usize] [T; N], [T];
    [T: ?Sized] Box<T>, T;
    [T: ?Sized] Arc<T>, T;
    [T: ?Sized + ToOwned] Cow<'_, T>, T;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashMap};
    use std::hash::Hash;

    /// Finds a key by what it borrows as: hashes, equality and order must agree.
    #[track_caller]
    fn finds<K, Q>(key: K, other: K, by: &Q)
    where
        K: Borrow<Q> + Hash + Ord + Clone,
        Q: ?Sized + Hash + Ord,
    {
        let hashed = HashMap::from([(key.clone(), 1), (other.clone(), 2)]);
        assert_eq!(hashed.get(by), Some(&1));
        let ordered = BTreeMap::from([(key, 1), (other, 2)]);
        assert_eq!(ordered.get(by), Some(&1));
    }

    #[test]
    fn leaves_are_found_by_what_their_values_borrow_as() {
        finds(Leaf(7_u64), Leaf(8), &7);
        finds(Leaf("a".to_owned()), Leaf("b".to_owned()), "a");
        finds(Leaf("a".to_owned()), Leaf("b".to_owned()), &"a".to_owned());
        finds(Leaf(vec![1, 2]), Leaf(vec![2, 1]), &[1, 2][..]);
        finds(Leaf([1, 2]), Leaf([2, 1]), &[1, 2][..]);
        finds(Leaf(PathBuf::from("a")), Leaf("b".into()), Path::new("a"));
        finds(Leaf(OsString::from("a")), Leaf("b".into()), OsStr::new("a"));
        finds(Leaf(c"a".to_owned()), Leaf(c"b".to_owned()), c"a");
        finds::<Leaf<Box<str>>, str>(Leaf("a".into()), Leaf("b".into()), "a");
        finds::<Leaf<Arc<str>>, str>(Leaf("a".into()), Leaf("b".into()), "a");
        finds::<Leaf<Cow<'_, str>>, str>(Leaf("a".into()), Leaf("b".into()), "a");
        finds(Leaf((1, 'x')), Leaf((2, 'x')), &(1, 'x'));
    }
}
