//! Registered names.

use crate::interned::Name;

/// A registered name; in [`Inspection::names`](crate::Inspection::names).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFacts {
    /// The name.
    pub name: String,
    /// Path of the actor that has it.
    pub actor: String,
    /// The [stable name](crate::Target::NAME) of the registered address's type: an actor's, or an
    /// interface's.
    pub registered_as: Name,
}
