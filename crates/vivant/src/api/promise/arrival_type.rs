//! [`Arrival`]: the type that stands for messages which bring a value to its promise.

use std::any::TypeId;
use std::marker::PhantomData;

/// The resolution of a promise, on its way to the promise's owner.
pub(super) struct Arrival<T>(PhantomData<T>);

/// The type of the message that brings a value to the owner of its promise.
pub(super) fn arrival_type<T: Send + 'static>() -> TypeId {
    TypeId::of::<Arrival<T>>()
}
