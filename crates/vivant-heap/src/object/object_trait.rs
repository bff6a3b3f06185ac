//! [`Object`]: what may lie in a heap, and how the collector traces it.

use super::evacuator::Evacuator;
use super::external_edges::ExternalEdges;
use super::tracer::Tracer;

/// What a heap can hold, and what may be part of it.
///
/// Indexed by the brand of its heap: all functions that take an object take one of the brand
/// that allocates it, so no value mixes two heaps. `#[derive(Object)]` implements it.
///
/// What an object owns by `Box`, `Vec` or a map of `std` is part of it. It is traced by recursion,
/// as it is dropped by recursion. So a type must not own values of its own type: the derive refuses
/// that, or the compiler does (E0391). An `unsafe impl` by hand that allows it makes a list of a
/// million boxes overflow the stack. Link what may become long or deep by [`Gc`](crate::Gc):
/// collections go from object to object without recursion. A leaf may be of any shape.
///
/// # Safety
///
/// - `trace` reports every reference of this brand in the value, each once, and nothing else. It
///   reads only what the value owns, calls no user code, takes no lock and does not panic. It may
///   run on another thread while the owner reads, and while the owner changes what lies in cells
///   and atomics: it reads none of these.
/// - `evacuate` reports the same references, each as the place where it is stored, and does nothing
///   else.
/// - `NEEDS_TRACE` is true if the value can contain any reference.
/// - A type that reports references has no destructor.
/// - `Static` is the same type with its brand replaced by `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in a collected heap of this turn",
    label = "not an `Object<'gc>`",
    note = "own types: `#[derive(Object)]`; a graph of objects: `Gc<'gc, Mut<T>>` in place of `Rc<RefCell<T>>`; something foreign \
            without collected parts: `Leaf<T>`"
)]
pub unsafe trait Object<'gc>: 'gc {
    /// The erased form: the same type outside turns. Its `TypeId` identifies the type, and its
    /// bound says that the value may go to another thread.
    type Static: Send + 'static;
    /// Whether it can contain references to collected objects.
    const NEEDS_TRACE: bool;
    /// Whether it changes in place, and so has a flag for the write barrier.
    const MUTABLE: bool = false;
    /// Whether [`trace_external`](Object::trace_external) may report anything.
    const HAS_EXTERNAL_EDGES: bool = false;
    /// Reports the references in it.
    fn trace(&self, tracer: &mut Tracer<'_>);
    /// Reports the places of the references in it, which are updated when their referents have been
    /// evacuated.
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>);
    /// Reports the references it holds to things that are counted outside the heap, each once, if
    /// this value alone holds it: not by an `Arc`, and not by a reference to another object, which
    /// reports it itself ([`Heap::collect_external_edges`](crate::Heap::collect_external_edges)).
    /// It does not run in a collection, so it may do what other code may do.
    #[inline]
    fn trace_external(&self, _shown: &mut ExternalEdges<'_>) {}
}

/// What may lie in any heap: an object of every brand, so one without collected parts. Generic
/// actors require it of their type parameters.
///
/// ```
/// use vivant_heap::Unbranded;
///
/// fn is_unbranded<T: Unbranded>() {}
/// is_unbranded::<Option<String>>();
/// ```
///
/// ```compile_fail
/// use vivant_heap::{Gc, Mutator, Unbranded};
///
/// fn is_unbranded<T: Unbranded>() {}
/// fn of_this_turn<'gc>(_: &Mutator<'gc>) {
///     is_unbranded::<Gc<'gc, u64>>();
/// }
/// ```
pub trait Unbranded: Send + 'static + for<'gc> Object<'gc> {}

impl<T: Send + 'static + for<'gc> Object<'gc>> Unbranded for T {}

/// A value that consists of parts, all of which are visited.
macro_rules! container {
    ($([$($parameters:ident),*] $whole:ty, $erased:ty, $self:ident => $parts:expr, $parts_mut:expr;)*) => {$(
        // SAFETY: the value consists of its parts, and they report their references.
        unsafe impl<'gc, $($parameters: Object<'gc>),*> Object<'gc> for $whole {
            type Static = $erased;
            const NEEDS_TRACE: bool = $($parameters::NEEDS_TRACE)||*;
            #[inline]
            fn trace(&$self, tracer: &mut Tracer<'_>) {
                if <Self as Object<'gc>>::NEEDS_TRACE {
                    for part in $parts {
                        part.trace(tracer);
                    }
                }
            }
            #[inline]
            fn evacuate(&mut $self, evacuator: &mut Evacuator<'_>) {
                if <Self as Object<'gc>>::NEEDS_TRACE {
                    let parts = $parts_mut;
                    evacuator.visits_container(parts.len());
                    for part in parts {
                        part.evacuate(evacuator);
                    }
                }
            }
            const HAS_EXTERNAL_EDGES: bool = $($parameters::HAS_EXTERNAL_EDGES)||*;
            fn trace_external(&$self, shown: &mut ExternalEdges<'_>) {
                if <Self as Object<'gc>>::HAS_EXTERNAL_EDGES {
                    for part in $parts {
                        part.trace_external(shown);
                    }
                }
            }
        }
    )*};
}

container! {
    [T] Option<T>, Option<T::Static>, self => self.iter(), self.iter_mut();
    [T] Vec<T>, Vec<T::Static>, self => self.iter(), self.iter_mut();
    [T] Box<[T]>, Box<[T::Static]>, self => self.iter(), self.iter_mut();
    [T] std::collections::VecDeque<T>, std::collections::VecDeque<T::Static>, self => self.iter(), self.iter_mut();
}

// SAFETY: an array consists of its elements, and they report their references.
unsafe impl<'gc, T: Object<'gc>, const N: usize> Object<'gc> for [T; N] {
    type Static = [T::Static; N];
    /// False for an empty array: a heap can have any number of these, because they need no memory.
    const NEEDS_TRACE: bool = T::NEEDS_TRACE && N != 0;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if <Self as Object<'gc>>::NEEDS_TRACE {
            self.iter().for_each(|part| part.trace(tracer));
        }
    }
    #[inline]
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        if <Self as Object<'gc>>::NEEDS_TRACE {
            self.iter_mut().for_each(|part| part.evacuate(evacuator));
        }
    }
    const HAS_EXTERNAL_EDGES: bool = T::HAS_EXTERNAL_EDGES && N != 0;
    fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
        if <Self as Object<'gc>>::HAS_EXTERNAL_EDGES {
            self.iter().for_each(|part| part.trace_external(shown));
        }
    }
}

// SAFETY: a box consists of its value, which reports its references.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for Box<T> {
    type Static = Box<T::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        (**self).trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        (**self).evacuate(evacuator);
    }
    const HAS_EXTERNAL_EDGES: bool = T::HAS_EXTERNAL_EDGES;
    fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
        (**self).trace_external(shown);
    }
}

// SAFETY: a result consists of its value or error, which report their references.
unsafe impl<'gc, T: Object<'gc>, E: Object<'gc>> Object<'gc> for Result<T, E> {
    type Static = Result<T::Static, E::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE || E::NEEDS_TRACE;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self {
            Ok(value) => value.trace(tracer),
            Err(error) => error.trace(tracer),
        }
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        match self {
            Ok(value) => value.evacuate(evacuator),
            Err(error) => error.evacuate(evacuator),
        }
    }
    const HAS_EXTERNAL_EDGES: bool = T::HAS_EXTERNAL_EDGES || E::HAS_EXTERNAL_EDGES;
    fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
        match self {
            Ok(value) => value.trace_external(shown),
            Err(error) => error.trace_external(shown),
        }
    }
}

/// Maps. Their keys have no collected parts: nothing may change below a map that orders or hashes
/// by them (attack 6 in `tests/all/README.md`).
macro_rules! map {
    ($([$($parameter:ident),*] $whole:ty, $erased:ty;)*) => {$(
        // SAFETY: keys and hashers are `'static`: they have no brand. The values report their
        // references.
        unsafe impl<'gc, K: Send + 'static, V: Object<'gc>, $($parameter: Send + 'static)*> Object<'gc> for $whole {
            type Static = $erased;
            const NEEDS_TRACE: bool = V::NEEDS_TRACE;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                if V::NEEDS_TRACE {
                    self.values().for_each(|value| value.trace(tracer));
                }
            }
            fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
                if V::NEEDS_TRACE {
                    evacuator.visits_container(self.len());
                    self.values_mut().for_each(|value| value.evacuate(evacuator));
                }
            }
            const HAS_EXTERNAL_EDGES: bool = V::HAS_EXTERNAL_EDGES;
            fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
                if V::HAS_EXTERNAL_EDGES {
                    self.values().for_each(|value| value.trace_external(shown));
                }
            }
        }
    )*};
}

map! {
    [S] std::collections::HashMap<K, V, S>, std::collections::HashMap<K, V::Static, S>;
    [] std::collections::BTreeMap<K, V>, std::collections::BTreeMap<K, V::Static>;
}

// SAFETY: it contains no value, so there is no reference to report.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for std::marker::PhantomData<T> {
    type Static = std::marker::PhantomData<T::Static>;
    const NEEDS_TRACE: bool = false;
    #[inline]
    fn trace(&self, _: &mut Tracer<'_>) {}
    #[inline]
    fn evacuate(&mut self, _: &mut Evacuator<'_>) {}
}

macro_rules! tuple {
    ($($part:ident $place:tt),*) => {
        // SAFETY: a tuple consists of its parts, and they report their references.
        unsafe impl<'gc, $($part: Object<'gc>),*> Object<'gc> for ($($part,)*) {
            type Static = ($($part::Static,)*);
            const NEEDS_TRACE: bool = $($part::NEEDS_TRACE)||*;
            #[inline]
            fn trace(&self, tracer: &mut Tracer<'_>) {
                $(self.$place.trace(tracer);)*
            }
            #[inline]
            fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
                $(self.$place.evacuate(evacuator);)*
            }
            const HAS_EXTERNAL_EDGES: bool = $($part::HAS_EXTERNAL_EDGES)||*;
            #[inline]
            fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
                $(self.$place.trace_external(shown);)*
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
