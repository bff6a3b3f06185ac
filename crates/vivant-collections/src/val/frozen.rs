//! Versions in a graph that is frozen: they stay as they are, and are read by reference (Y6).

use super::{Map, OrdMap, String, Vec};
use vivant_heap::{Freeze, Frozen, Object};

/// Types that are frozen as they are.
macro_rules! as_they_are {
    ($([$($parameters:tt)*] $whole:ty;)*) => {$(
        // SAFETY: `Frozen` is the type itself, which may lie in a shared object already.
        unsafe impl<'gc, $($parameters)*> Freeze<'gc> for $whole
        where
            $whole: Frozen<'gc>,
        {
            type Frozen = Self;
            type View<'a> = &'a Self where Self: 'a, 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a self) -> &'a Self
            where
                'gc: 'a,
            {
                self
            }
        }
    )*};
}

as_they_are! {
    [] String<'gc>;
    [T: Object<'gc>] Vec<'gc, T>;
    [K: Object<'gc>, V: Object<'gc>] Map<'gc, K, V>;
    [K: Object<'gc>, V: Object<'gc>] OrdMap<'gc, K, V>;
}
