//! [`Sendable`]: what may go from one heap to another.

use super::collected::Collected;
use super::object::Object;
use super::val::Val;

/// What may leave its heap: plain values, which move, and shared objects, which stay where they are.
///
/// `#[derive(Object)]` says of a type that it is sendable if all its fields are. [`Gc`](crate::Gc), [`Mut`](crate::Mut), [`Weak`](crate::Weak) and the collections of
/// [`gc`](crate::gc) are not: they are of one heap.
///
/// # Safety
///
/// All references to collected objects in it are [`Val`]s and [`Tag`](crate::Tag)s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot leave its heap",
    label = "has parts that are of one heap alone",
    note = "send a `Val<'gc, T>`, which any heap may have, plain data, or a `Tag<'gc, T>`: it names the object that a `Gc` refers to, which stays where it is"
)]
pub unsafe trait Sendable<'gc>: Object<'gc> {}

// SAFETY: it is what may leave.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Sendable<'gc> for Val<'gc, T> {}

/// What is sendable if its parts are.
macro_rules! container {
    ($([$($parameter:ident),*] $whole:ty;)*) => {$(
        // SAFETY: the parts are all of it.
        unsafe impl<'gc, $($parameter: Sendable<'gc>),*> Sendable<'gc> for $whole {}
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
unsafe impl<'gc, T: Sendable<'gc>, const N: usize> Sendable<'gc> for [T; N] {}
// SAFETY: as above; keys and what hashes them have no brand.
unsafe impl<'gc, K: Send + 'static, V: Sendable<'gc>, S: Send + 'static> Sendable<'gc>
    for std::collections::HashMap<K, V, S>
{
}
// SAFETY: as above.
unsafe impl<'gc, K: Send + 'static, V: Sendable<'gc>> Sendable<'gc>
    for std::collections::BTreeMap<K, V>
{
}
