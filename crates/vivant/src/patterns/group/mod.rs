//! Groups: actors that receive broadcasts together (T10).
//!
//! - [`members`]: the members, without their type.
//! - [`saved`]: a group under its name, in a system, and in an image.

mod members;
mod saved;

pub(crate) use members::MembersType;
pub(crate) use saved::{NoGroup, restored_group};

use super::table_identity::TableIdentity;
use crate::api::{Address, Call, Message, Target, WeakAddress};
use crate::sync::Arc;
use members::GroupMembers;
use std::fmt;
use std::marker::PhantomData;

/// A set of actors, or of actors that implement an interface, in the order in which they joined.
///
/// A handle: clone it, keep it in states, send it. It does not keep its members alive: an actor
/// that has ended, or is unreachable, is a member no longer.
/// [`System::group`](crate::System::group) finds one by name.
///
/// A snapshot has a group with its members if the group has a name, or if the snapshot has a handle
/// of it: in a saved state, or in a message on its way. A handle that only threads have is outside.
/// The arguments of a start that runs again, of an actor of which only the start is saved, can have
/// handles of groups with a name only: others make the snapshot an error.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::Group;
///
/// #[derive(Actor)] struct Player { score: u64 }
/// #[behaviours] impl Player {
///     fn win(&mut self, points: u64) -> u64 { self.score += points; self.score }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let (ada, bob) = (system.spawn(Player { score: 0 }), system.spawn(Player { score: 1 }));
/// let team = Group::new();
/// team.join(&ada);
/// team.join(&bob);
/// team.broadcast(|player| player.win(2));
/// assert_eq!(bob.win(0).ask_blocking()?, 3);
/// drop(ada);
/// # Ok(()) }
/// ```
pub struct Group<T: ?Sized + Target> {
    /// Of this type.
    members: Arc<GroupMembers>,
    target: PhantomData<fn() -> WeakAddress<T>>,
}

impl<T: ?Sized + Target> Group<T> {
    /// A group without members.
    pub fn new() -> Group<T> {
        Group::of(GroupMembers::new(
            TableIdentity::unnamed(),
            MembersType::of::<T>(),
        ))
    }

    /// A handle of a group that is of this type.
    fn of(members: Arc<GroupMembers>) -> Group<T> {
        let target = PhantomData;
        Group { members, target }
    }

    /// Makes the actor a member, the last in the order. False when it is one already, or has ended.
    pub fn join(&self, address: &Address<T>) -> bool {
        let weak = Box::new(Address::downgrade(address));
        self.members.join(&Address::counted(address), weak)
    }

    /// Removes the actor; false when it was no member.
    pub fn leave(&self, address: &Address<T>) -> bool {
        self.members.remove(&Address::counted(address))
    }

    /// The members, in the order of joining. Costs a lock and, for each, three atomic additions.
    pub fn members(&self) -> Vec<Address<T>> {
        // Outside the lock: an address that is dropped may wake its actor.
        let weak = self.members.all();
        let all = weak.iter().filter_map(WeakAddress::upgrade);
        all.filter(Address::is_alive).collect()
    }

    /// Sends what `call` makes to every member, in the order of joining. Costs what
    /// [`Group::members`] does, and the messages.
    pub fn broadcast<M: Message>(
        &self,
        mut call: impl for<'a> FnMut(&'a Address<T>) -> Call<'a, M>,
    ) {
        for member in self.members() {
            call(&member).send();
        }
    }
}

impl<T: ?Sized + Target> Clone for Group<T> {
    fn clone(&self) -> Self {
        Group::of(self.members.clone())
    }
}

impl<T: ?Sized + Target> Default for Group<T> {
    fn default() -> Self {
        Group::new()
    }
}

impl<T: ?Sized + Target> fmt::Debug for Group<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.members.all::<T>()).finish()
    }
}

vivant_heap::leaf!([T: ?Sized + Target] Group<T>);
