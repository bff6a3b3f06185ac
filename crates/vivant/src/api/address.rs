//! Addresses: the only way to reach an actor.

use super::actor::Actor;
use super::ask_future::AskFuture;
use super::interface::Implements;
use super::link::{Handle, Link, Target};
use super::requests::{stop_after_queue, watch};
use crate::actor::{
    AddressRef, Answer, Answered, CellRef, Observation, Signals, Source, Worker, observed,
};
use crate::failures::StopReason;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A reference to one actor, usable from any thread. Derefs to a handle with one method for each
/// behaviour.
///
/// Cloning costs one atomic addition. While an address exists its actor does not end by itself; see
/// [`WeakAddress`] for the other kind. Order, equality and hash follow the order in which actors
/// were made.
///
/// The runtime's own operations are associated functions (`Address::stop(&a)`), so that behaviours
/// may have those names.
pub struct Address<T: ?Sized + Target> {
    handle: T::Handle,
}

impl<A: Actor> Address<A> {
    pub(crate) fn to_actor(to: AddressRef) -> Address<A> {
        Address {
            handle: A::Handle::from_link(Link { to, table: () }),
        }
    }

    /// The same actor through the interface `I`: only the messages of `I` can be sent to it.
    pub fn upcast<I: ?Sized + Target>(this: &Self) -> Address<I>
    where
        A: Implements<I>,
    {
        let link = Link {
            to: this.handle.link().to.clone(),
            table: A::TABLE,
        };
        Address {
            handle: I::Handle::from_link(link),
        }
    }
}

impl<T: ?Sized + Target> Address<T> {
    pub(crate) fn link(this: &Self) -> &Link<T> {
        this.handle.link()
    }

    pub(super) fn from_link(link: Link<T>) -> Address<T> {
        Address {
            handle: T::Handle::from_link(link),
        }
    }

    /// Type and position of the actor: `bank::Account/3/1` is the second child of the system's
    /// fourth actor. Stable from run to run when actors are made in the same order.
    pub fn path(this: &Self) -> String {
        Self::link(this).to.path()
    }

    /// A weak address: it does not keep the actor alive.
    pub fn downgrade(this: &Self) -> WeakAddress<T> {
        let link = Self::link(this);
        WeakAddress {
            cell: link.to.cell(),
            table: link.table,
        }
    }

    /// Ends the actor after its present turn, before its next message. Waiting messages become dead
    /// letters, and their asks fail with [`AskError::Stopped`](crate::AskError::Stopped).
    pub fn stop(this: &Self) {
        Self::link(this).to.cell().signal(Signals::STOP);
    }

    /// Ends the actor once it has processed the messages that are in its mailbox now.
    #[track_caller]
    pub fn stop_after_queue(this: &Self) {
        stop_after_queue(&Self::link(this).to);
    }

    /// The reason of the actor's end, when it has ended; for use outside of turns. In a turn, see
    /// [`Turn::watch`](crate::Turn::watch).
    #[track_caller]
    pub fn ended(this: &Self) -> AskFuture<StopReason> {
        let to = &Self::link(this).to;
        let (asked, resolver) = AskFuture::new(&to.system);
        watch(to, resolver);
        asked
    }

    /// Whether the actor can still process messages. It may end right after this call.
    pub fn is_alive(this: &Self) -> bool {
        let to = &Self::link(this).to;
        observed(Observation::Alive, Source::Actor(to), to.ended().is_none())
    }

    /// Whether this is the address of the actor that runs its turn on this thread.
    pub fn is_me(this: &Self) -> bool {
        let to = &Self::link(this).to;
        Worker::with_current(|worker| worker.current.is(to)) == Some(true)
    }

    pub(crate) fn counted(this: &Self) -> AddressRef {
        Self::link(this).to.clone()
    }
}

impl<T: ?Sized + Target> Deref for Address<T> {
    type Target = T::Handle;
    fn deref(&self) -> &T::Handle {
        &self.handle
    }
}

impl<T: ?Sized + Target> Clone for Address<T> {
    fn clone(&self) -> Self {
        Address {
            handle: T::Handle::from_link(self.handle.link().clone()),
        }
    }
}

impl<T: ?Sized + Target> PartialEq for Address<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: ?Sized + Target> Eq for Address<T> {}

impl<T: ?Sized + Target> PartialOrd for Address<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized + Target> Ord for Address<T> {
    /// R5: by system and creation, never by memory address.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |address: &Self| {
            (
                Address::link(address).to.system.number,
                Address::link(address).to.id,
            )
        };
        key(self).cmp(&key(other))
    }
}

impl<T: ?Sized + Target> Hash for Address<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Self::link(self).to.id.hash(state);
    }
}

impl<T: ?Sized + Target> fmt::Debug for Address<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", Self::path(self))
    }
}

impl<T: ?Sized + Target> fmt::Display for Address<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::path(self))
    }
}

/// An address that does not keep its actor alive.
pub struct WeakAddress<T: ?Sized + Target> {
    cell: CellRef,
    table: T::Table,
}

impl<T: ?Sized + Target> WeakAddress<T> {
    /// `table` reaches the actor of this cell as a `T`.
    pub(super) fn of(cell: CellRef, table: T::Table) -> WeakAddress<T> {
        WeakAddress { cell, table }
    }

    /// The address, unless no address of the actor is left (it has then ended, or is about to). An
    /// address that was dropped a moment ago may still count.
    pub fn upgrade(&self) -> Option<Address<T>> {
        let to = observed(
            Observation::Upgrade,
            Source::Actor(&self.cell),
            self.cell.upgrade(),
        )?;
        Some(Address {
            handle: T::Handle::from_link(Link {
                to,
                table: self.table,
            }),
        })
    }

    pub(super) fn cell(&self) -> &CellRef {
        &self.cell
    }

    #[cfg(test)]
    pub(crate) fn has_ended(&self) -> bool {
        self.cell.ended().is_some()
    }

    /// Type and position of the actor, also after its end.
    pub fn path(&self) -> String {
        self.cell.path()
    }
}

impl<T: ?Sized + Target> Clone for WeakAddress<T> {
    fn clone(&self) -> Self {
        WeakAddress {
            cell: self.cell.clone(),
            table: self.table,
        }
    }
}

impl<T: ?Sized + Target> fmt::Debug for WeakAddress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeakAddress({})", self.path())
    }
}

impl<T: ?Sized + Target> Answer for Address<T> {
    fn data(&self) -> Answered {
        Address::link(self).to.data()
    }
}

impl<T: ?Sized + Target> Answer for WeakAddress<T> {
    fn data(&self) -> Answered {
        self.cell.data()
    }
}

impl<T: ?Sized + Target> WeakAddress<T> {
    fn key(&self) -> (u64, u64) {
        (self.cell.system.number, self.cell.id)
    }
}

impl<T: ?Sized + Target> PartialEq for WeakAddress<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T: ?Sized + Target> Eq for WeakAddress<T> {}

impl<T: ?Sized + Target> PartialOrd for WeakAddress<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized + Target> Ord for WeakAddress<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T: ?Sized + Target> Hash for WeakAddress<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cell.id.hash(state);
    }
}

vivant_heap::leaf!([T: ?Sized + Target] Address<T>, address shows &Address::link(address).to);
vivant_heap::leaf!([T: ?Sized + Target] WeakAddress<T>);
