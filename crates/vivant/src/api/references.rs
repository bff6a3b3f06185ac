//! The outgoing references of a value: the addresses that it shows to the detector of unreachable
//! actors.

use super::address::{Address, WeakAddress};
use super::link::Target;
use super::promise::Resolver;
use crate::actor::Timer;
use crate::actor::{OutgoingReference, OutgoingReferences};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use vivant_heap::{Leaf, Tag, TagId};

/// A value that can show the addresses that it holds.
///
/// `#[derive(Actor)]` shows those of every field of such a type: addresses themselves, those in far
/// references, and those in options, results, tuples, boxes, arrays and the collections of `std`.
/// Implement it for a type of your own to show the addresses in it; a type without addresses needs
/// nothing. A field of another type is not traced, and an address in it counts as one outside: its
/// actor lives as long as the address is there, and a cycle through it is never collected. The same
/// holds for addresses behind `Arc`, `Brc`, `Mutex`, closures, `Val` and `Iso`;
/// [`System::why_alive`] reports them. A [`Resolver`](crate::Resolver) shows the actor that waits
/// for its value.
///
/// In a state that is a graph, with a heap, every field that is an object shows its addresses, and
/// so do the objects that the state refers to by `Gc` and by collections: they need nothing. The
/// addresses in the heap are known when the actor is idle, and its heap is marked.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{OutgoingReferences, TraceReferences};
///
/// #[derive(Actor)] struct Player { table: Option<Table> }
/// #[behaviours] impl Player { fn sit(&mut self, left: Address<Player>, right: Address<Player>) { self.table = Some(Table { left, right }); } }
///
/// struct Table { left: Address<Player>, right: Address<Player> }
/// impl TraceReferences for Table {
///     fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
///         self.left.outgoing_references(seen);
///         self.right.outgoing_references(seen);
///     }
/// }
///
/// let simulation = vivant::simulation::Simulation::new(1);
/// let [a, b, c] = [(); 3].map(|()| simulation.system().spawn(Player { table: None }));
/// a.sit(c.clone(), b.clone()).send();
/// b.sit(a.clone(), c.clone()).send();
/// c.sit(b.clone(), a.clone()).send();
/// drop((a, b, c));
/// simulation.run();                                       // only the two refer to each other
/// assert!(simulation.system().inspect().actors.is_empty());
/// ```
///
/// [`System::why_alive`]: crate::System::why_alive
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not show its addresses",
    label = "implement `Acquainted` for it, or let it count as outside"
)]
pub trait TraceReferences {
    /// Whether it may show any.
    const MAY_SHOW: bool = true;

    /// Shows each address that it alone holds, once. Do not show an address that other values may
    /// hold too, for example by an `Arc`. Nor show an address in an object that it refers to by
    /// `Gc`: the object shows it itself, and it would count twice.
    ///
    /// It is called between two turns, by a worker that meanwhile holds the actor, and others of
    /// its group. It must not wait for an answer, for a lock that a turn may hold, or for the end
    /// of the system: that worker would hang. If it panics, the actor counts as referenced from
    /// outside.
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>);
}

impl<T: ?Sized + Target> TraceReferences for Address<T> {
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        seen.take(OutgoingReference::of(&Address::link(self).to));
    }
}

impl<T: Send + 'static> TraceReferences for Resolver<T> {
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        self.show(seen);
    }
}

/// Types that show the addresses of their elements.
macro_rules! elements {
    ($([$($parameters:tt)*] $type:ty),* $(,)?) => {$(
        impl<T: TraceReferences, $($parameters)*> TraceReferences for $type {
            const MAY_SHOW: bool = T::MAY_SHOW;
            fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
                if T::MAY_SHOW {
                    self.iter().for_each(|one| one.outgoing_references(seen));
                }
            }
        }
    )*};
}

elements!(
    [] Option<T>, [] Vec<T>, [] VecDeque<T>, [] [T], [const N: usize] [T; N], [] BTreeSet<T>, [S] HashSet<T, S>,
    [] BinaryHeap<T>, [] LinkedList<T>,
);

impl<T: ?Sized + TraceReferences> TraceReferences for Box<T> {
    const MAY_SHOW: bool = T::MAY_SHOW;
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        (**self).outgoing_references(seen);
    }
}

impl<T: TraceReferences> TraceReferences for Leaf<T> {
    const MAY_SHOW: bool = T::MAY_SHOW;
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        self.0.outgoing_references(seen);
    }
}

impl<T: TraceReferences, E: TraceReferences> TraceReferences for Result<T, E> {
    const MAY_SHOW: bool = T::MAY_SHOW || E::MAY_SHOW;
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        match self {
            Ok(value) => value.outgoing_references(seen),
            Err(error) => error.outgoing_references(seen),
        }
    }
}

/// Types that show the addresses of their keys and values.
macro_rules! maps {
    ($([$($parameters:tt)*] $type:ty),* $(,)?) => {$(
        impl<K: TraceReferences, V: TraceReferences, $($parameters)*> TraceReferences for $type {
            const MAY_SHOW: bool = K::MAY_SHOW || V::MAY_SHOW;
            fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
                if Self::MAY_SHOW {
                    for (key, value) in self {
                        key.outgoing_references(seen);
                        value.outgoing_references(seen);
                    }
                }
            }
        }
    )*};
}

maps!([] BTreeMap<K, V>, [S] HashMap<K, V, S>);

/// Types that show the addresses of their components.
macro_rules! tuples {
    ($(($($part:ident $at:tt),+))*) => {$(
        impl<$($part: TraceReferences),+> TraceReferences for ($($part,)+) {
            const MAY_SHOW: bool = $($part::MAY_SHOW)||+;
            fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
                $(self.$at.outgoing_references(seen);)+
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

/// Types without addresses: so that they may stand beside others that have some.
macro_rules! none {
    ($([$($parameters:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($parameters)*> TraceReferences for $type {
            const MAY_SHOW: bool = false;
            fn outgoing_references(&self, _: &mut OutgoingReferences<'_>) {}
        }
    )*};
}

none!(
    [] (), [] bool, [] char, [] u8, [] u16, [] u32, [] u64, [] u128, [] usize, [] i8, [] i16, [] i32, [] i64, [] i128, [] isize,
    [] f32, [] f64, [] str, [] String, [] Duration, [] Instant, [] SystemTime, [] PathBuf, [] Timer,
    [T: ?Sized] &T, [T: ?Sized] PhantomData<T>, [T: ?Sized + Target] WeakAddress<T>,
    ['gc, T: ?Sized + 'gc] Tag<'gc, T>, [] TagId,
);

/// For the derive: an item of this name is found for a type that is [`TraceReferences`], and that
/// of [`NoReferences`] for every other.
#[doc(hidden)]
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

#[doc(hidden)]
impl<T: TraceReferences> Probe<T> {
    /// Whether the field may show an address.
    pub const HAS_EXTERNAL_EDGES: bool = T::MAY_SHOW;

    /// Shows the addresses of the field.
    pub fn show(field: &T, seen: &mut OutgoingReferences<'_>) {
        field.outgoing_references(seen);
    }
}

/// See [`Probe`].
#[doc(hidden)]
pub trait NoReferences<T> {
    /// It shows none.
    const HAS_EXTERNAL_EDGES: bool = false;

    /// Shows nothing.
    fn show(_: &T, _: &mut OutgoingReferences<'_>) {}
}

impl<T> NoReferences<T> for Probe<T> {}
