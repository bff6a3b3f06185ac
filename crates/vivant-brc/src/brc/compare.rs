//! Comparisons and hashes of references are those of their values.

use super::Brc;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

impl<T: ?Sized + PartialEq> PartialEq for Brc<T> {
    #[inline]
    fn eq(&self, other: &Brc<T>) -> bool {
        **self == **other
    }

    #[inline]
    #[expect(clippy::partialeq_ne_impl, reason = "the value may have its own")]
    fn ne(&self, other: &Brc<T>) -> bool {
        **self != **other
    }
}

impl<T: ?Sized + Eq> Eq for Brc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Brc<T> {
    fn partial_cmp(&self, other: &Brc<T>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }

    fn lt(&self, other: &Brc<T>) -> bool {
        **self < **other
    }

    fn le(&self, other: &Brc<T>) -> bool {
        **self <= **other
    }

    fn gt(&self, other: &Brc<T>) -> bool {
        **self > **other
    }

    fn ge(&self, other: &Brc<T>) -> bool {
        **self >= **other
    }
}

impl<T: ?Sized + Ord> Ord for Brc<T> {
    fn cmp(&self, other: &Brc<T>) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Brc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
