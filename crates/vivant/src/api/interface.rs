//! Interfaces: a typed handle for some of an actor's messages, whatever its type. `#[interface]` on
//! a trait writes them.

use super::actor::Actor;
use super::behaviour::{Behaviour, Message};
use super::call::{Call, Pack, envelope};
use super::ended_actor::is_of_ended;
use super::link::{Link, Target};
use super::saved_kinds::SavedList;
use crate::interned::Place;
use std::any::TypeId;
use std::fmt;

/// `A` implements every message of the interface `I`. `#[behaviours] impl Trait for A` writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement this interface",
    label = "this actor cannot be seen through it",
    note = "an actor implements an interface by `#[behaviours] impl Interface for {Self} {{ … }}`"
)]
pub trait Implements<I: ?Sized + Target>: Actor {
    /// The behaviours that implement the interface's messages.
    const TABLE: I::Table;

    /// Lists the behaviours, for an actor that is saved.
    #[doc(hidden)]
    fn list_messages(list: &mut SavedList) {
        let _ = list;
    }
}

impl SavedList {
    /// An interface of an actor.
    pub fn interface<A: Implements<I>, I: ?Sized + Target>(&mut self) {
        let actor = TypeId::of::<A>();
        self.table((actor, TypeId::of::<I>()), A::TABLE);
        self.target::<I>(actor);
        A::list_messages(self);
    }
}

/// One row of an interface's table: how to make the implementor's message from the interface's.
pub struct Entry<M: Message> {
    actor: fn() -> TypeId,
    pack: Pack<M>,
}

impl<M: Message> Entry<M> {
    /// The row that sends `B` for `M`.
    pub const fn of<B>() -> Entry<M>
    where
        B: Behaviour<Args = M::Args, Reply = M::Reply>,
    {
        Entry {
            actor: TypeId::of::<B::Actor>,
            pack: envelope::<B>,
        }
    }

    /// The call of this message to the actor behind `link`.
    ///
    /// # Panics
    ///
    /// When the table was made for another actor type than the link's: a hand-written
    /// [`Implements::TABLE`] names a behaviour of another actor.
    #[track_caller]
    pub fn call<'a, I: ?Sized + Target>(&self, link: &'a Link<I>, args: M::Args) -> Call<'a, M> {
        let class = link.to.class;
        assert!(
            (self.actor)() == (class.type_id)() || is_of_ended(class),
            "{} was called on {}, but the interface's table names a behaviour of another actor type",
            M::NAME,
            class.name,
        );
        Call::new_packed(&link.to, args, self.pack, Place::caller())
    }
}

impl<M: Message> fmt::Debug for Entry<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({})", M::NAME)
    }
}
