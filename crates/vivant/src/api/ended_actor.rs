//! [`EndedActor`]: what a restored system has in place of an actor that its snapshot does not
//! contain. The actor had ended, or its type is not saved.
//!
//! The program may not list the actor's type, so the cell has this type. Only the name of its class
//! is that of the actor. Its mailbox is closed, so no message is ever processed, and messages are
//! refused by the functions of their own kinds.

use super::actor::Actor;
use super::cell::new_cell;
use super::class::class_named;
use super::inline_state::InlineState;
use super::link::{Handle, Link, Target};
use crate::actor::{AddressRef, Birth, Class};
use crate::interned::Name;
use crate::saving::NotSaved;
use crate::sync::{Mutex, lock};
use std::any::{Any, TypeId};
use std::collections::BTreeMap;

/// The actor. There is never a state.
pub(crate) struct EndedActor;

impl Actor for EndedActor {
    type State<'gc> = EndedActor;
    type Storage = InlineState;
    type SaveKind = NotSaved;
}

impl Target for EndedActor {
    type Handle = EndedHandle;
    type Table = ();
    const NAME: &'static str = UNKNOWN;
}

/// The handle of an [`EndedActor`]. It has no messages.
pub(crate) struct EndedHandle(Link<EndedActor>);

impl Handle for EndedHandle {
    type Target = EndedActor;
    fn from_link(link: Link<EndedActor>) -> EndedHandle {
        EndedHandle(link)
    }
    fn link(&self) -> &Link<EndedActor> {
        &self.0
    }
}

/// Stands for the type of an ended actor of which only the number is known.
const UNKNOWN: &str = "an actor that had ended";

/// The tables of the process, by the names of the actors' types: as many as names are interned.
static CLASSES: Mutex<BTreeMap<Name, &'static Class>> = Mutex::new(BTreeMap::new());

/// Makes a cell without a state for an actor of the type with this name. `None`: it is not known.
pub(crate) fn ended_actor(name: Option<Name>, birth: Birth) -> AddressRef {
    let name = name.unwrap_or(Name::new(UNKNOWN));
    let mut classes = lock(&CLASSES);
    let class = *classes
        .entry(name)
        .or_insert_with(|| Box::leak(Box::new(class_named::<EndedActor>(name))));
    drop(classes);
    new_cell::<EndedActor>(class, birth, None)
}

/// Whether cells of this class are made by [`ended_actor`].
pub(super) fn is_of_ended(class: &Class) -> bool {
    (class.type_id)() == TypeId::of::<EndedActor>()
}

/// How a `T` reaches an actor that has ended and was of the type with this name. `None`: the actor
/// was of another type than `T`, or `T` is an interface that is written by hand.
pub(super) fn table_of_ended<T: ?Sized + Target>(class: &Class) -> Option<T::Table> {
    // The table of an actor is `()`.
    match (&() as &dyn Any).downcast_ref().copied() {
        Some(table) => (class.name == T::NAME || class.name == UNKNOWN).then_some(table),
        None => T::table_of_ended(),
    }
}
