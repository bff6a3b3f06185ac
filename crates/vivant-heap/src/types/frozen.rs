//! [`Frozen`]: what never changes, and so may be shared.

use super::collected::Collected;
use super::object::Object;
use super::val::Val;

/// What may lie in a shared object: nothing in it changes, all that it refers to is shared too, and any thread may read it (O2, Y6).
///
/// `#[derive(Object)]` makes a type so if all its fields are: [`Val`]s are, and what has no collected parts and is `Sync`; not
/// [`Gc`](crate::Gc), [`Mut`](crate::Mut), [`Weak`](crate::Weak) and the collections of [`gc`](crate::gc).
///
/// It is two things, of which the derive says the first, [`FrozenParts`], and the compiler finds out the second: that the type outside turns is `Sync`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable, or not for many threads",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub trait Frozen<'gc>: FrozenParts<'gc> + Object<'gc, Static: Sync> {}

impl<'gc, T: FrozenParts<'gc> + Object<'gc, Static: Sync>> Frozen<'gc> for T {}

/// That nothing in a value changes, but in leaves, and that all it refers to is shared. That leaves in it are `Sync` is no part of it, because the derive could not
/// ask for that only where it holds.
///
/// # Safety
///
/// - All references to collected objects in it are [`Val`]s, or, below an [`Ice`](crate::Ice), lead to what was frozen with it.
/// - Nothing changes in it while somebody can read it, but in leaves, by means that are `Sync` if these are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub unsafe trait FrozenParts<'gc>: Object<'gc> {}

// SAFETY: as above.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> FrozenParts<'gc> for Val<'gc, T> {}

/// What is frozen if its parts are.
macro_rules! container {
    ($([$($parameter:ident),*] $whole:ty;)*) => {$(
        // SAFETY: the parts are all of it.
        unsafe impl<'gc, $($parameter: FrozenParts<'gc>),*> FrozenParts<'gc> for $whole {}
    )*};
}

container! {
    [T] Option<T>;
    [T] Vec<T>;
    [T] Box<[T]>;
    [T] Box<T>;
    [T] std::collections::VecDeque<T>;
    [T] std::marker::PhantomData<T>;
    [T, E] Result<T, E>;
    [A] (A,);
    [A, B] (A, B);
    [A, B, C] (A, B, C);
    [A, B, C, D] (A, B, C, D);
    [A, B, C, D, E] (A, B, C, D, E);
    [A, B, C, D, E, F] (A, B, C, D, E, F);
}

// SAFETY: as above.
unsafe impl<'gc, T: FrozenParts<'gc>, const N: usize> FrozenParts<'gc> for [T; N] {}
// SAFETY: as above; keys and what hashes them are plain and `Sync`.
unsafe impl<'gc, K: Send + Sync + 'static, V: FrozenParts<'gc>, S: Send + Sync + 'static>
    FrozenParts<'gc> for std::collections::HashMap<K, V, S>
{
}
// SAFETY: as above.
unsafe impl<'gc, K: Send + Sync + 'static, V: FrozenParts<'gc>> FrozenParts<'gc>
    for std::collections::BTreeMap<K, V>
{
}
