//! What an actor of a file is seen as, found by name: as its own type, or as an interface.

use super::address::Address;
use super::link::{Link, Target};
use super::saved_kinds::{NamedTarget, SavedList};
use crate::interned::Name;
use std::any::TypeId;

impl SavedList {
    /// Actors of this type are seen as a `T`.
    pub(super) fn target<T: ?Sized + Target>(&mut self, actor: TypeId) {
        let target = NamedTarget {
            name: Name::new(T::NAME),
            weak: |kinds, to| {
                let table = kinds.table::<T>((to.class.type_id)())?;
                let address = Address::<T>::from_link(Link { to, table });
                Some(Box::new(Address::downgrade(&address)))
            },
        };
        self.add_target(actor, target);
    }
}
