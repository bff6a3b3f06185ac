//! [`Link`]: a counted reference to an actor, typed by the messages that it accepts. Handles wrap
//! one, and addresses wrap a handle.

use crate::actor::AddressRef;
use std::fmt;

/// The target of an [`Address`](crate::Address): an actor type, or an interface (`dyn Trait`).
#[diagnostic::on_unimplemented(
    message = "there are no addresses of `{Self}`: it is neither an actor nor an interface",
    label = "neither an actor nor an interface",
    note = "an actor's type says `#[derive(Actor)]`; an interface is `dyn Trait`, and its trait says `#[interface]`",
    note = "a state with a lifetime, `CacheState<'gc>`, is not its actor: write `Address<Cache>`"
)]
pub trait Target: 'static {
    /// The type that the address derefs to: one method for each behaviour.
    type Handle: Handle<Target = Self>;
    /// The dispatch table of an interface, to the behaviours of its implementor; `()` for actors.
    type Table: Copy + Send + Sync + 'static;
    /// The type's stable name: part of every path, error and report, and of all that outlives a
    /// process. By default the macros write the type's path, `bank::Account`; the option `id` of
    /// `#[actor]` and `#[interface]` sets another one.
    ///
    /// A generic type has one name for all its parameters: `Cache<u8>` and `Cache<u16>` are
    /// different types of one name.
    const NAME: &'static str;

    /// The table through which the interface reaches an actor that has ended, of whatever type it
    /// was. `#[interface]` writes it.
    #[doc(hidden)]
    fn table_of_ended() -> Option<Self::Table> {
        None
    }
}

/// The handle of an address. `#[derive(Actor)]` and `#[interface]` write one for each type.
pub trait Handle {
    /// The type that it is a handle of.
    type Target: ?Sized + Target;
    /// Wraps a link.
    fn from_link(link: Link<Self::Target>) -> Self;
    /// The wrapped link.
    fn link(&self) -> &Link<Self::Target>;
}

/// A counted reference to an actor, typed by the messages that it accepts. Hand-written handles
/// wrap one.
pub struct Link<T: ?Sized + Target> {
    pub(crate) to: AddressRef,
    pub(super) table: T::Table,
}

impl<T: ?Sized + Target> Link<T> {
    /// The interface's table; `()` for an actor.
    pub fn table(&self) -> T::Table {
        self.table
    }
}

impl<T: ?Sized + Target> Clone for Link<T> {
    fn clone(&self) -> Self {
        Link {
            to: self.to.clone(),
            table: self.table,
        }
    }
}

impl<T: ?Sized + Target> fmt::Debug for Link<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link({})", self.to.path())
    }
}
