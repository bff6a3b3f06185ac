//! Routers: load balancing between actors that do the same work (T10).

use crate::actor::{Entry, Header, Observation, Source, Table, observed};
use crate::api::Spawner;
use crate::api::{Actor, Address, Call, InlineActor, Message, Target};
use crate::oracle::split_mix;
use crate::supervision::{Supervised, Supervisor};
use crate::sync::{Arc, AtomicUsize, Ordering};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A load balancer: it selects one of several actors that do the same work. The caller sends the
/// message itself.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::Router;
///
/// #[derive(Actor)] struct Worker { done: u64 }
/// #[behaviours] impl Worker {
///     fn work(&mut self, amount: u64) -> u64 { self.done += amount; self.done }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let system = System::new();
/// let workers = Router::spawn(&system, 3, |_| Worker { done: 0 });
/// workers.next().work(1).send();                              // one after the other
/// workers.least_loaded().work(1).send();          // the fewest waiting messages
/// let done = workers.by_key("Ada").work(1).ask_blocking()?;   // for Ada always the same
/// workers.broadcast(|worker| worker.work(10));
/// assert!(workers.by_key("Ada").work(0).ask_blocking()? >= done + 10);
/// # Ok(()) }
/// ```
///
/// The members are fixed. To route to actors with a `#[start]` function, collect their addresses:
/// `(0..3).map(|i| Worker::spawn(&system, i)).collect::<Router<_>>()`. In a router of supervised
/// actors, members that end are replaced: [`Router::supervised`].
///
/// A handle: clones share the members and the round-robin position. It holds the members'
/// addresses, so they live as long as it. An ended member is skipped. When all have ended an ended
/// one is returned: a message to it is a dead letter, and an ask fails with the reason of its end.
pub struct Router<T: ?Sized + Target>(Arc<RouterMembers<T>>);

struct RouterMembers<T: ?Sized + Target> {
    addresses: Box<[Address<T>]>,
    next: AtomicUsize,
}

impl<T: ?Sized + Target> RouterMembers<T> {
    /// Advances the round-robin position.
    fn next(&self) -> usize {
        let position = self.next.fetch_add(1, Ordering::Relaxed);
        observed(Observation::Position, Source::Entry(self), position)
    }
}

impl<T: ?Sized + Target> Entry for RouterMembers<T> {
    fn table(&self) -> Table {
        Table::Router
    }
}

impl<A: InlineActor> Router<A> {
    /// Makes `count` actors, each with the state that `make` returns for its number. Within a turn
    /// they are children of that turn's actor.
    ///
    /// # Panics
    ///
    /// If `count` is zero.
    pub fn spawn(
        spawner: &impl Spawner,
        count: usize,
        mut make: impl FnMut(usize) -> A,
    ) -> Router<A> {
        (0..count)
            .map(|number| spawner.spawn_state(make(number)))
            .collect()
    }
}

impl<A: Actor> Router<A> {
    /// Makes `count` actors below `supervisor`, each from the description that `child` returns for
    /// its number.
    ///
    /// A member that fails, or ends by itself, is replaced by an actor with a new state, as the
    /// supervisor's strategy and the description say. It has the address, the mailbox and the keys
    /// of the old one: messages that come meanwhile wait for it.
    ///
    /// A member that is ended from outside, by [`Address::stop`] or [`Address::stop_after_queue`],
    /// has ended for good: it is not replaced, and costs the supervisor no restart. The router
    /// skips it, and its keys go to the other members. To have as many members again, collect a new
    /// router of [`Router::members`] and of what
    /// [`SupervisorHandle::add`](crate::SupervisorHandle::add) returns.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::{Router, Supervisor};
    ///
    /// #[derive(Actor)] struct Worker { number: usize, done: u64 }
    /// #[behaviours] impl Worker {
    ///     #[start] fn new(number: usize) -> Self { Worker { number, done: 0 } }
    ///     fn work(&mut self, amount: u64) -> u64 { assert!(amount > 0); self.done += amount; self.done }
    /// }
    ///
    /// # fn main() -> Result<(), vivant::AskError> {
    /// # std::panic::set_hook(Box::new(|_| ()));
    /// let system = System::new();
    /// let tree = Supervisor::one_for_one().spawn(&system);
    /// let workers = Router::supervised(&tree, 3, Worker::child);
    /// assert!(workers.by_key("Ada").work(0).ask_blocking().is_err());
    /// assert_eq!(workers.by_key("Ada").work(2).ask_blocking()?, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If `count` is zero.
    pub fn supervised<C: Supervised<Actor = A>>(
        supervisor: &Address<Supervisor>,
        count: usize,
        child: impl FnMut(usize) -> C,
    ) -> Router<A> {
        let children = (0..count).map(child);
        children.map(|child| supervisor.add(child)).collect()
    }
}

impl<T: ?Sized + Target> Router<T> {
    /// Round-robin. Costs one atomic addition and one load for each member that is skipped.
    pub fn next(&self) -> &Address<T> {
        self.first_alive(self.0.next())
    }

    /// The member with the fewest messages waiting or running; among equals the next in round-robin
    /// order. Reads all members (not two random ones), with three loads each: for hundreds of
    /// them, use [`Router::next`].
    ///
    /// Messages that other threads send at the same time may not be counted yet.
    pub fn least_loaded(&self) -> &Address<T> {
        let start = self.0.next();
        self.alive_from(start)
            .min_by_key(|member| load(header(member)))
            .unwrap_or_else(|| self.first_alive(start))
    }

    /// Always the same member for equal keys, as long as the same members live; when a member ends,
    /// only its own keys move to others.
    ///
    /// Rendezvous hashing: of all living members the one with the highest hash of the key and the
    /// member's number in this router. So adding members behind the present ones leaves most keys
    /// where they were. The hash is FNV-1a with SplitMix64 to finish, of the bytes that the key's
    /// `Hash` writes: the same in every run of one build. Costs one short hash for each member,
    /// besides the key's.
    pub fn by_key<K: Hash + ?Sized>(&self, key: &K) -> &Address<T> {
        let mut hasher = Fnv::default();
        key.hash(&mut hasher);
        let key = hasher.finish();
        let weight = |number: usize| mix(key ^ mix(number as u64));
        let alive = |(_, member): &(usize, &Address<T>)| Address::is_alive(member);
        let members = self.0.addresses.iter().enumerate();
        let chosen = members
            .filter(alive)
            .max_by_key(|(number, _)| weight(*number));
        chosen.map_or_else(|| self.first_alive(0), |(_, member)| member)
    }

    /// Sends what `call` makes to every living member, in their order.
    pub fn broadcast<M: Message>(
        &self,
        mut call: impl for<'a> FnMut(&'a Address<T>) -> Call<'a, M>,
    ) {
        for member in self.members() {
            call(member).send();
        }
    }

    /// The living members, in their order.
    pub fn members(&self) -> impl Iterator<Item = &Address<T>> {
        self.alive_from(0)
    }

    fn alive_from(&self, start: usize) -> impl Iterator<Item = &Address<T>> {
        let addresses = &self.0.addresses;
        let (before, from) = addresses.split_at(start % addresses.len());
        let round = from.iter().chain(before);
        round.filter(|member| Address::is_alive(member))
    }

    /// The first living member from `start` on; an ended member, when all have ended.
    fn first_alive(&self, start: usize) -> &Address<T> {
        let addresses = &self.0.addresses;
        self.alive_from(start)
            .next()
            .unwrap_or(&addresses[start % addresses.len()])
    }
}

fn header<T: ?Sized + Target>(address: &Address<T>) -> &Header {
    &Address::link(address).to
}

/// Number of messages, waiting and running.
fn load(actor: &Header) -> usize {
    let load = actor.depth() + usize::from(actor.facts.current().is_some());
    observed(Observation::Load, Source::Actor(actor), load)
}

impl<T: ?Sized + Target> FromIterator<Address<T>> for Router<T> {
    /// # Panics
    ///
    /// If there is no address.
    fn from_iter<I: IntoIterator<Item = Address<T>>>(members: I) -> Router<T> {
        let addresses: Box<[Address<T>]> = members.into_iter().collect();
        assert!(
            !addresses.is_empty(),
            "a router without members has no member to choose"
        );
        let next = AtomicUsize::new(0);
        Router(Arc::new(RouterMembers { addresses, next }))
    }
}

/// 64-bit FNV-1a. Numbers are written as little-endian, and `usize` as `u64`, on every platform.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

macro_rules! write_number {
    ($($method:ident($number:ty as $wide:ty)),*) => {
        $(fn $method(&mut self, number: $number) {
            self.write(&(number as $wide).to_le_bytes());
        })*
    };
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    write_number!(
        write_u16(u16 as u16),
        write_u32(u32 as u32),
        write_u64(u64 as u64),
        write_u128(u128 as u128),
        write_usize(usize as u64),
        write_i16(i16 as i16),
        write_i32(i32 as i32),
        write_i64(i64 as i64),
        write_i128(i128 as i128),
        write_isize(isize as i64)
    );

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Every bit of the result depends on every bit of `number`.
fn mix(number: u64) -> u64 {
    split_mix(number).1
}

impl<T: ?Sized + Target> Clone for Router<T> {
    fn clone(&self) -> Self {
        Router(self.0.clone())
    }
}

impl<T: ?Sized + Target> fmt::Debug for Router<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Router({} members)", self.0.addresses.len())
    }
}

vivant_heap::leaf!([T: ?Sized + Target] Router<T>);

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(key: impl Hash) -> u64 {
        let mut hasher = Fnv::default();
        key.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn the_hash_is_fixed() {
        let mut hasher = Fnv::default();
        hasher.write(b"foobar");
        assert_eq!(
            hasher.finish(),
            0x8594_4171_f739_67e8,
            "FNV-1a's published vector"
        );
        assert_eq!(hash(1_u64), hash(1_usize));
        assert_eq!(hash("Ada"), hash("Ada".to_owned()));
    }
}
