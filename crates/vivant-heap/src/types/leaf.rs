//! The list of leaf types: they contain no reference to a collected object, so they are not traced.
//!
//! Each is an [`Object`](crate::Object), a [`Erased`] and [`Sendable`]. Its group in the list says
//! what else it is:
//!
//! | group | [`FrozenParts`] | [`Freeze`] |
//! |---|---|---|
//! | `by_value`, `with_lifetime` | yes | yes, and is read by value |
//! | `by_reference` | yes | yes, and is read by reference |
//! | `not_freezable` | yes | no |
//! | `not_frozen` | no | no |
//!
//! The second pair of brackets contains the bounds under which a type is frozen.

use super::freeze::{Freeze, as_they_are};
use crate::object::erased::Erased;
use crate::object::frozen::Frozen;

/// Makes a type an [`Object`](crate::Object) without collected parts, where the derive requires too
/// much of its type parameters: `[T: Bound] Type<T>`.
///
/// ```
/// struct Name<T: ?Sized>(u64, std::marker::PhantomData<fn(&T)>);
/// vivant_heap::leaf!([T: ?Sized + 'static] Name<T>);
/// ```
///
/// A leaf that is counted outside the heap can be shown
/// ([`Object::trace_external`](crate::Object::trace_external)):
///
/// ```
/// struct Door(u64);
/// vivant_heap::leaf!([] Door, door shows &door.0);
/// ```
///
/// A type with a lifetime other than `'static`, or a type that is not `Send`, is refused:
///
/// ```compile_fail,E0277
/// struct Local(std::rc::Rc<u8>);
/// vivant_heap::leaf!([] Local);
/// ```
#[macro_export]
macro_rules! leaf {
    // One item: type parameters that close the list, and continue with an item of their own, do not
    // match here.
    (@one $item:item) => { $item };
    ([$($parameters:tt)*] $leaf:ty $(, $value:ident shows $shown:expr)?) => {
        $crate::leaf! { @object [$($parameters)*] $leaf $(, $value shows $shown)? }
        $crate::leaf! { @one
            // SAFETY: it is `'static`, so it has no brand (Y2).
            unsafe impl<$($parameters)*> $crate::Erased for $leaf
            where
                $leaf: ::core::marker::Send + 'static,
            {
                type Of<'gc> = $leaf;
                type Static = $leaf;
            }
        }
    };
    (@object [$($parameters:tt)*] $leaf:ty $(, $value:ident shows $shown:expr)?) => {
        $crate::leaf! { @one
            // SAFETY: it is `'static` for every brand, so it has no brand, and no reference to
            // report.
            unsafe impl<'gc, $($parameters)*> $crate::Object<'gc> for $leaf
            where
                $leaf: ::core::marker::Send + 'static,
            {
                type Static = $leaf;
                const NEEDS_TRACE: bool = false;
                #[inline]
                fn trace(&self, _: &mut $crate::Tracer<'_>) {}
                #[inline]
                fn evacuate(&mut self, _: &mut $crate::Evacuator<'_>) {}
                $(
                    const HAS_EXTERNAL_EDGES: bool = true;
                    fn trace_external(&self, to: &mut $crate::ExternalEdges<'_>) {
                        let $value = self;
                        to.one($shown);
                    }
                )?
            }
        }
    };
}

/// A value without collected parts, as one part of an object.
///
/// It borrows as its value, and as what the value borrows as, so a map with such keys is searched
/// without it: of `gc::HashMap<'gc, Leaf<Vec<u8>>, V>`, `map.get(b"key".as_slice())`. It hashes and
/// is ordered as its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Leaf<T>(pub T);

/// Emits the impls of a list of groups, each of lines `[bounds] [bounds if frozen] types`. A type
/// of a folder above has its list beside it.
macro_rules! leaf_types {
    ($($group:ident { $($bounds:tt $frozen:tt $($leaf:ty),+;)* })*) => {
        $($($(leaf_types!(@$group $bounds $frozen $leaf);)+)*)*
    };
    (@by_value [] [] $leaf:ty) => {
        leaf_types!(@not_freezable [] [] $leaf);
        leaf_types!(@read_by_value $leaf);
    };
    // Its `Erased` is beside this list, for every lifetime.
    (@with_lifetime [] [] $leaf:ty) => {
        leaf_types!(@frozen_parts [] $leaf);
        leaf_types!(@sendable [] $leaf);
        leaf_types!(@read_by_value $leaf);
    };
    (@by_reference $bounds:tt $frozen:tt $leaf:ty) => {
        leaf_types!(@not_freezable $bounds $frozen $leaf);
        as_they_are!($frozen $leaf;);
    };
    (@not_freezable $bounds:tt $frozen:tt $leaf:ty) => {
        leaf_types!(@not_frozen $bounds [] $leaf);
        leaf_types!(@frozen_parts $frozen $leaf);
    };
    (@not_frozen [$($bounds:tt)*] [] $leaf:ty) => {
        leaf_types!(@sendable [$($bounds)*] $leaf);
        // SAFETY: it has no brand.
        unsafe impl<$($bounds)*> $crate::Erased for $leaf {
            type Of<'gc> = $leaf;
            type Static = $leaf;
        }
    };
    (@sendable [$($bounds:tt)*] $leaf:ty) => {
        $crate::leaf!(@object [$($bounds)*] $leaf);
        // SAFETY: it has no reference.
        unsafe impl<'gc, $($bounds)*> $crate::Sendable<'gc> for $leaf {}
    };
    (@frozen_parts [$($frozen:tt)*] $leaf:ty) => {
        // SAFETY: it has no reference, and nothing in it changes except by means that are `Sync`.
        unsafe impl<'gc, $($frozen)*> $crate::FrozenParts<'gc> for $leaf {}
    };
    (@read_by_value $leaf:ty) => {
        // SAFETY: `Frozen` is the type itself, which does not change.
        unsafe impl<'gc> $crate::Freeze<'gc> for $leaf {
            type Frozen = $leaf;
            type View<'a> = $leaf where 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a self) -> $leaf
            where
                'gc: 'a,
            {
                *self
            }
        }
    };
}

leaf_types! {
    by_value {
        [] [] (), bool, char, f32, f64;
        [] [] u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize;
        [] [] crate::HeapId;
        [] [] std::num::NonZeroU8, std::num::NonZeroU16, std::num::NonZeroU32, std::num::NonZeroU64;
        [] [] std::num::NonZeroU128, std::num::NonZeroUsize, std::num::NonZeroIsize;
        [] [] std::num::NonZeroI8, std::num::NonZeroI16, std::num::NonZeroI32, std::num::NonZeroI64;
        [] [] std::num::NonZeroI128;
        [] [] std::net::IpAddr, std::net::Ipv4Addr, std::net::Ipv6Addr;
        [] [] std::net::SocketAddr, std::net::SocketAddrV4, std::net::SocketAddrV6;
        [] [] std::time::Duration, std::time::Instant, std::time::SystemTime;
        [] [] std::cmp::Ordering, std::any::TypeId, std::thread::ThreadId;
    }
    with_lifetime {
        [] [] &'static str;
    }
    by_reference {
        [] [] Box<str>, String, std::path::PathBuf, Box<std::path::Path>;
        [] [] std::ffi::OsString, Box<std::ffi::OsStr>, std::ffi::CString, Box<std::ffi::CStr>;
        [T: Send + 'static] [T: Send + Sync + 'static] std::ops::Range<T>, std::ops::RangeInclusive<T>;
        [T: Send + 'static] [T: Send + Sync + 'static] std::cmp::Reverse<T>;
        [T: Send + 'static] [T: Send + Sync + 'static] std::num::Wrapping<T>, std::num::Saturating<T>;
        [T: ?Sized + Send + Sync + 'static] [T: ?Sized + Send + Sync + 'static] std::sync::Arc<T>;
        [T: Send + 'static] [T: Send + Sync + 'static] Leaf<T>;
    }
}
pub(crate) use leaf_types;

// SAFETY: a string of the program has no brand (Y2).
unsafe impl Erased for &str {
    type Of<'gc> = &'static str;
    type Static = &'static str;
}
