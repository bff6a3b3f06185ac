//! [`Rooted`]: a root of an actor's heap, for as long as a flow needs it.
//!
//! The table of roots is a part of the heap's root, so marks and minor collections visit it as they
//! visit the state. A handle has the index of its entry, and the list of released entries, which
//! any thread may add to. The heap takes released entries out before it is stepped, and when the
//! actor makes the next root.

use super::collected::{ActorHeap, GcState};
use super::gc_waker::GcWaker;
use crate::api::{Actor, Turn};
use crate::interned::Name;
use crate::sync::{Arc, Mutex, lock};
use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::sync::Weak;
use std::task::Wake;
use vivant_heap::{Anything, Erased, Gc, Leaf, Object, unsize};

/// A root: it keeps a private object of an actor's heap alive, and gives the object back in a later
/// turn of that actor. Made by [`Turn::root`].
///
/// Use it for a private object that a flow needs after an answer has come: as an argument of the
/// actor's own continuation or step, captured by a closure of
/// [`then_local`](crate::Promise::then_local), or carried through a future of
/// [`spawn`](Turn::spawn) and returned with its result. It is dropped with that continuation,
/// whether it has run or not: when the flow ends, when the promise is broken by a time limit, when
/// the actor ends. The object is collected some time after that, unless it is reachable otherwise.
///
/// The object is not locked meanwhile: other turns of the actor read and write it.
///
/// It belongs to the heap in which it was made. An actor of another type cannot open it; another
/// actor of the same type is refused, and so is the actor itself after a restart, because it has
/// other objects then ([`ForeignRoot`]). A root is no name for others: that is a
/// [`Tag`](crate::Tag) or a [`Far`](crate::Far).
///
/// `T` is the object's type without its brand: `Rooted<Shop, Mut<Item<'static>>>` for a
/// `Gc<'gc, Mut<Item<'gc>>>`.
///
/// Costs an entry in a table, which each collection visits, and a lock when it is dropped.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// struct Prices { base: u64 }
///
/// #[behaviours]
/// impl Prices {
///     fn of(&self, name: String) -> u64 { self.base * name.len() as u64 }
/// }
///
/// #[derive(Object)]
/// struct Item<'gc> { price: Option<u64>, parts: Vec<Gc<'gc, Mut<Item<'gc>>>> }
///
/// #[derive(Actor)]
/// struct ShopState<'gc> { prices: Address<Prices>, sold: u64, new: Option<Gc<'gc, Mut<Item<'gc>>>> }
///
/// #[behaviours]
/// impl<'gc> ShopState<'gc> {
///     #[start]
///     fn new(prices: Address<Prices>) -> Self { ShopState { prices, sold: 0, new: None } }
///
///     fn sell(&mut self, t: &Turn<'gc, Shop>, name: String) -> Promise<Option<u64>> {
///         let item = t.alloc(Mut::new(Item { price: None, parts: Vec::new() }));
///         t.ask(self.prices.of(name)).then(t.me().priced(t.root(item)))
///     }
///
///     #[then]
///     fn priced(
///         &mut self,
///         t: &Turn<'gc, Shop>,
///         price: Result<u64, AskError>,
///         item: Rooted<Shop, Mut<Item<'static>>>,
///     ) -> Option<u64> {
///         let item = item.open(t).ok()?;                  // none if the actor has restarted
///         item.borrow_mut(t).price = price.ok();
///         self.new = Some(item);
///         item.borrow().price
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let prices = system.spawn(Prices { base: 2 });
/// let shop = Shop::spawn(&system, prices);
/// assert_eq!(shop.sell("pen".into()).ask_blocking()?, Some(6));
/// # Ok(()) }
/// ```
#[must_use = "the object is collected as if it had no root"]
pub struct Rooted<A, T> {
    list: Arc<RootList>,
    entry: usize,
    types: PhantomData<fn(A) -> T>,
}

/// A root that this actor cannot open: another actor has made it, or this actor has restarted since
/// and lost the object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignRoot {
    type_name: Name,
}

/// What the handles of one heap share.
struct RootList(Mutex<Released>);

#[derive(Default)]
struct Released {
    entries: Vec<usize>,
    /// Set when the first turn that has made a root has ended. Weak: a handle keeps no heap.
    waker: Option<Weak<GcWaker>>,
}

/// The roots of a heap that flows have made. None as long as there is none.
pub(super) type Roots<'gc> = Option<Box<RootTable<'gc>>>;

/// The objects, and which entries are free.
type RootTable<'gc> = (Vec<Entry<'gc>>, Leaf<FreeEntries>);

type Entry<'gc> = Option<Gc<'gc, dyn Anything>>;

pub(super) struct FreeEntries {
    free: Vec<usize>,
    list: Arc<RootList>,
}

fn new_table<'gc>() -> Box<RootTable<'gc>> {
    let free = FreeEntries {
        free: Vec::new(),
        list: Arc::new(RootList(Mutex::default())),
    };
    Box::new((Vec::new(), Leaf(free)))
}

/// Takes out the entries of dropped handles. Returns whether there were any.
fn take_released((entries, Leaf(free)): &mut RootTable<'_>) -> bool {
    let released = mem::take(&mut lock(&free.list.0).entries);
    released.iter().for_each(|entry| entries[*entry] = None);
    free.free.extend(&released);
    !released.is_empty()
}

/// Gives the handles the waker of their heap, after a turn.
pub(super) fn armed<'gc>(roots: Roots<'gc>, waker: &Arc<GcWaker>) -> Roots<'gc> {
    if let Some((_, Leaf(free))) = roots.as_deref() {
        let waker = || Arc::downgrade(waker);
        lock(&free.list.0).waker.get_or_insert_with(waker);
    }
    roots
}

impl<A: Actor<Storage = GcState>> ActorHeap<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Takes out the entries of dropped handles, before a step. That counts as a turn: it may have
    /// made objects unreachable.
    pub(super) fn take_released_roots(&mut self) {
        let any = self.heap.turn(|_, (.., roots)| {
            let Some(table) = roots else { return false };
            let any = take_released(table);
            if table.0.len() == table.1.0.free.len() {
                *roots = None;
            }
            any
        });
        if any {
            self.counts_as_turn();
        }
    }
}

impl<'gc, A: Actor<Storage = GcState>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// A root of a private object, for a later turn of this actor. It keeps the object alive until
    /// it is dropped.
    ///
    /// A reference to a slice, a string or a trait object is rooted in an object of its own:
    /// `t.root(t.alloc(name))`.
    pub fn root<T: Object<'gc>>(&self, object: Gc<'gc, T>) -> Rooted<A, T::Static> {
        let mut table = self.part().roots.take().unwrap_or_else(new_table);
        take_released(&mut table);
        let (entries, Leaf(free)) = &mut *table;
        let rooted = Some(unsize!(object => dyn Anything));
        let entry = match free.free.pop() {
            Some(entry) => {
                entries[entry] = rooted;
                entry
            }
            None => {
                entries.push(rooted);
                entries.len() - 1
            }
        };
        let list = free.list.clone();
        self.part().roots.set(Some(table));
        Rooted {
            list,
            entry,
            types: PhantomData,
        }
    }
}

impl<A: Actor<Storage = GcState>, T: Erased> Rooted<A, T>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// The object, in a turn of the actor that has made the root. Costs a few loads.
    ///
    /// # Errors
    ///
    /// Another actor has made it, or this actor before its restart.
    pub fn open<'gc>(&self, t: &Turn<'gc, A>) -> Result<Gc<'gc, T::Of<'gc>>, ForeignRoot> {
        let table = t.part().roots.take();
        let mine = |table: &&RootTable<'gc>| Arc::ptr_eq(&table.1.0.list, &self.list);
        let entry = table.as_deref().filter(mine);
        let object = entry.and_then(|(entries, _)| entries[self.entry]);
        t.part().roots.set(table);
        object
            .and_then(Gc::downcast::<T::Of<'gc>>)
            .ok_or(ForeignRoot {
                type_name: Name::new(type_name::<T>()),
            })
    }
}

impl<A, T> Drop for Rooted<A, T> {
    fn drop(&mut self) {
        let waker = {
            let mut released = lock(&self.list.0);
            released.entries.push(self.entry);
            // Those before it have woken the heap, and it has not taken them out yet.
            match released.entries.len() {
                1 => released.waker.clone(),
                _ => None,
            }
        };
        if let Some(waker) = waker.and_then(|waker| waker.upgrade()) {
            waker.wake();
        }
    }
}

impl<A, T> fmt::Debug for Rooted<A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rooted({})", type_name::<T>())
    }
}

impl fmt::Display for ForeignRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ForeignRoot { type_name } = self;
        write!(
            f,
            "the root of a `{type_name}` was made by another actor, or by this one before its restart: only the actor that has made it can open it, and a restart \
             loses its objects. Send others a `Far` or a `Tag`, and look the object up again after a restart"
        )
    }
}

impl std::error::Error for ForeignRoot {}
