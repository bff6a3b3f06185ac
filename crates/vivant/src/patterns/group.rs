//! Groups: actors that receive broadcasts together (T10).

use crate::actor::{Entry, Observation, Source, Table, observed};
use crate::api::{Address, Call, Message, Target, WeakAddress};
use crate::services::{ExitAction, ExitHookId, Membership};
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Weak;

/// A set of actors, or of actors that implement an interface, in the order in which they joined.
///
/// A handle: clone it, keep it in states, send it. It does not keep its members alive: an actor
/// that has ended, or is unreachable, is a member no longer.
/// [`System::group`](crate::System::group) finds one by name.
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
pub struct Group<T: ?Sized + Target>(Arc<Mutex<GroupMembers<T>>>);

struct GroupMembers<T: ?Sized + Target> {
    next_number: u64,
    /// In the order of joining.
    joined: BTreeMap<u64, GroupMember<T>>,
    /// By system and actor: the number in `joined`.
    numbers: BTreeMap<(u64, u64), u64>,
}

struct GroupMember<T: ?Sized + Target> {
    /// Its system and its own number.
    key: (u64, u64),
    address: WeakAddress<T>,
    exit_hook: ExitHookId,
}

impl<T: ?Sized + Target> Group<T> {
    /// A group without members.
    pub fn new() -> Group<T> {
        Group(Arc::new(Mutex::new(GroupMembers {
            next_number: 0,
            joined: BTreeMap::new(),
            numbers: BTreeMap::new(),
        })))
    }

    /// Makes the actor a member, the last in the order. False when it is one already, or has ended.
    pub fn join(&self, address: &Address<T>) -> bool {
        let to = Address::counted(address);
        let key = (to.system.number, to.id);
        let mut members = lock(&self.0);
        let is_member = members.numbers.contains_key(&key);
        if observed(Observation::Join, Source::Entry(&*members), is_member) {
            return false;
        }
        // Under the lock: the exit hook needs it to remove the member, so it finds what is written
        // here.
        let number = members.next_number;
        let group: Weak<Mutex<GroupMembers<T>>> = Arc::downgrade(&self.0);
        let left = ExitAction::Leave(group, number);
        let registered = to.system.when_ended(&to, left);
        let registered = observed(Observation::Join, Source::Actor(&to), registered);
        let Some(exit_hook) = registered else {
            return false;
        };
        members.next_number += 1;
        members.numbers.insert(key, number);
        let member = GroupMember {
            key,
            address: Address::downgrade(address),
            exit_hook,
        };
        members.joined.insert(number, member);
        true
    }

    /// Removes the actor; false when it was no member.
    pub fn leave(&self, address: &Address<T>) -> bool {
        let to = Address::counted(address);
        let mut members = lock(&self.0);
        let number = members.numbers.get(&(to.system.number, to.id)).copied();
        let left = number.and_then(|number| members.leave(number));
        let was_member = observed(Observation::Leave, Source::Entry(&*members), left.is_some());
        drop(members);
        if let Some(member) = left {
            to.system.exit_hooks.remove(member.exit_hook);
        }
        was_member
    }

    /// The members, in the order of joining. Costs a lock and, for each, three atomic additions.
    pub fn members(&self) -> Vec<Address<T>> {
        let weak: Vec<_> = {
            let members = lock(&self.0);
            let all = members.joined.values();
            let all: Vec<_> = all.map(|member| member.address.clone()).collect();
            observed(Observation::Members, Source::Entry(&*members), all)
        };
        // Outside the lock: an address that is dropped may wake its actor.
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

    /// Whether only this handle is left, and there are no members.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && lock(&self.0).joined.is_empty()
    }
}

impl<T: ?Sized + Target> Entry for GroupMembers<T> {
    fn table(&self) -> Table {
        Table::Group
    }
}

impl<T: ?Sized + Target> GroupMembers<T> {
    fn leave(&mut self, number: u64) -> Option<GroupMember<T>> {
        let member = self.joined.remove(&number)?;
        self.numbers.remove(&member.key);
        Some(member)
    }
}

impl<T: ?Sized + Target> Membership for Mutex<GroupMembers<T>> {
    fn leave(&self, number: u64) {
        let _left = lock(self).leave(number);
    }
}

impl<T: ?Sized + Target> Drop for GroupMembers<T> {
    fn drop(&mut self) {
        for member in self.joined.values() {
            member.address.system().exit_hooks.remove(member.exit_hook);
        }
    }
}

impl<T: ?Sized + Target> Clone for Group<T> {
    fn clone(&self) -> Self {
        Group(self.0.clone())
    }
}

impl<T: ?Sized + Target> Default for Group<T> {
    fn default() -> Self {
        Group::new()
    }
}

impl<T: ?Sized + Target> fmt::Debug for Group<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = lock(&self.0);
        let all = members.joined.values();
        let all: Vec<_> = all.map(|member| member.address.clone()).collect();
        let all = observed(Observation::Members, Source::Entry(&*members), all);
        f.debug_list().entries(all).finish()
    }
}

vivant_heap::leaf!([T: ?Sized + Target] Group<T>);
