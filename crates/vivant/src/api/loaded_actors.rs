//! [`LoadedActors`]: what addresses in a file refer to, while they are loaded.

#[cfg(feature = "snapshots")]
use super::address::Address;
use super::ended_actor::{is_of_ended, table_of_ended};
#[cfg(feature = "snapshots")]
use super::link::Link;
use super::link::Target;
use super::saved_kinds::SavedKinds;
use crate::actor::{AddressRef, CellRef, Header};
use crate::sync::Arc;
use std::error::Error;
use std::fmt;
use std::rc::Rc;

/// The address of an actor as `T` reaches it; `None` if it is no `T`.
#[cfg(feature = "snapshots")]
pub(crate) fn address_by<T: ?Sized + Target>(
    to: &AddressRef,
    kinds: &SavedKinds,
) -> Option<Address<T>> {
    let table = kinds.table::<T>((to.class.type_id)())?;
    let to = to.clone();
    Some(Address::from_link(Link { to, table }))
}

/// The actors of a restore by their ids. The context of a decoder that loads addresses.
pub(crate) struct LoadedActors {
    actors: Box<dyn ActorsById>,
    kinds: Arc<SavedKinds>,
}

/// Actors by the numbers that they had when they were saved.
pub(crate) trait ActorsById: 'static {
    /// An address of the actor. It may have ended.
    fn actor(&self, id: u64) -> Option<AddressRef>;

    /// As `actor`, without an address.
    fn cell(&self, id: u64) -> Option<CellRef> {
        Some(self.actor(id)?.cell())
    }
}

impl<T: ActorsById> ActorsById for Rc<T> {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        (**self).actor(id)
    }
}

/// Why an address or a resolver cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnknownReference {
    /// The file has no actor of this number.
    NoActor(u64),
    /// The actor of this number is of a type that is not what the address needs.
    OtherType {
        id: u64,
        actor: &'static str,
        wanted: &'static str,
    },
}

impl LoadedActors {
    pub(crate) fn new(actors: impl ActorsById, kinds: Arc<SavedKinds>) -> LoadedActors {
        LoadedActors {
            actors: Box::new(actors),
            kinds,
        }
    }

    /// The actor of this number, and the table through which a `T` reaches it.
    pub(super) fn actor<T: ?Sized + Target>(
        &self,
        id: u64,
    ) -> Result<(AddressRef, T::Table), UnknownReference> {
        let to = self.actors.actor(id).ok_or(UnknownReference::NoActor(id))?;
        let table = self.table::<T>(&to)?;
        Ok((to, table))
    }

    /// The actor of this number, of any type.
    pub(super) fn any(&self, id: u64) -> Result<AddressRef, UnknownReference> {
        self.actors.actor(id).ok_or(UnknownReference::NoActor(id))
    }

    /// As `actor`, without an address.
    pub(super) fn cell<T: ?Sized + Target>(
        &self,
        id: u64,
    ) -> Result<(CellRef, T::Table), UnknownReference> {
        let to = self.actors.cell(id).ok_or(UnknownReference::NoActor(id))?;
        let table = self.table::<T>(&to)?;
        Ok((to, table))
    }

    fn table<T: ?Sized + Target>(&self, to: &Header) -> Result<T::Table, UnknownReference> {
        let table = match is_of_ended(to.class) {
            true => table_of_ended::<T>(to.class),
            false => self.kinds.table::<T>((to.class.type_id)()),
        };
        table.ok_or(UnknownReference::OtherType {
            id: to.id,
            actor: to.class.name,
            wanted: T::NAME,
        })
    }
}

impl fmt::Display for UnknownReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReference::NoActor(id) => {
                write!(
                    f,
                    "an address of the actor {id}, which the file does not have"
                )
            }
            UnknownReference::OtherType { id, actor, wanted } => write!(
                f,
                "an address of `{wanted}`, but the actor {id} is of the type `{actor}`, which is not registered with \
                 it: list the type in `saved::<(…)>()`, and the interface in its `#[actor(saved, blocks(…))]`"
            ),
        }
    }
}

impl Error for UnknownReference {}

impl fmt::Debug for LoadedActors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadedActors")
    }
}
