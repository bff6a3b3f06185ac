//! [`SavedKinds`]: the types and the messages of a program that are saved, by their stable names.

use super::actor::Actor;
use super::behaviour::{Behaviour, Continuation};
use super::call::Sent;
use super::class::class_of;
use super::join::Join;
use super::link::Target;
use super::requests::runtime_kind;
use super::start::{StartFunction, Started};
use super::stepped::{NextStep, Stepped};
use crate::actor::{AddressRef, Class, KindTable, MessageKind};
use crate::interned::Name;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// The saved actors of a program, with all kinds of their messages, each by its stable name. A
/// restore finds by it what a file names.
///
/// No code registers types before `main`: an actor lists its own.
///
/// ```
/// use vivant::SavedKinds;
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// #[actor(saved, id = "bank::Account")]
/// struct Account { balance: u64 }
///
/// #[behaviours(id = "bank::Account")]
/// impl Account {
///     fn deposit(&mut self, amount: u64) { self.balance += amount; }
///     fn balance(&self) -> u64 { self.balance }
/// }
///
/// let kinds = SavedKinds::of::<(Account,)>()?;
/// let names: Vec<String> = kinds.kinds().map(|kind| kind.to_string()).collect();
/// assert_eq!(names, ["message bank::Account::balance", "message bank::Account::deposit"]);
/// # Ok::<(), vivant::EqualNames>(())
/// ```
pub struct SavedKinds {
    actors: BTreeMap<&'static str, &'static Class>,
    kinds: BTreeMap<SavedKind, Entry>,
    /// How an address of an interface, the second type, reaches an actor of the first.
    tables: BTreeMap<(TypeId, TypeId), Box<dyn Any + Send + Sync>>,
    /// What an actor can be seen as, by its type and the name of that: its own type, or an
    /// interface.
    targets: BTreeMap<(TypeId, &'static str), NamedTarget>,
}

/// A type of addresses, by its name.
#[derive(Clone, Copy)]
pub(crate) struct NamedTarget {
    pub(crate) name: Name,
    /// Makes a `WeakAddress` of the type.
    pub(crate) weak: fn(&SavedKinds, AddressRef) -> Option<Box<dyn Any + Send + Sync>>,
}

/// A kind of message: its form and its name. Displayed as `message bank::Account::deposit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavedKind {
    /// Stable name of the behaviour, start or join.
    pub name: &'static str,
    /// The form.
    pub form: SavedForm,
}

/// The form of a kind of message: one name may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SavedForm {
    /// The message of a behaviour.
    Message,
    /// The next step of a behaviour, with its locals.
    NextStep,
    /// A continuation that a promise holds, without its hole.
    Continuation,
    /// The start of an actor.
    Start,
    /// A join. It never waits: its messages do.
    Join,
    /// A message of the runtime: about a link, a request to watch, the mark of a stop. No actor
    /// lists it.
    Runtime,
}

/// Two types or two kinds of messages have one stable name, so a file could mean both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualNames {
    what: String,
    types: [&'static str; 2],
}

/// What a name stands for.
struct Entry {
    /// Of the message, if it waits in mailboxes.
    table: Option<&'static KindTable>,
    marker: (TypeId, &'static str),
}

/// A list of saved actors: a tuple of up to twelve types.
pub trait SavedActors {
    /// Lists each of them.
    #[doc(hidden)]
    fn list(list: &mut SavedList);
}

/// An actor that is saved: `#[actor(saved)]` and `#[actor(saved(restart))]` write it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a saved actor",
    label = "not saved",
    note = "a saved actor says `#[derive(Actor)] #[actor(saved)]`, or `#[actor(saved(restart))]` if it shall start again"
)]
pub trait SavedActor: Actor {
    /// Lists its messages: those of its blocks of behaviours, and of its interfaces.
    #[doc(hidden)]
    fn list(list: &mut SavedList);
}

/// Collects what a program saves. For the macros.
#[doc(hidden)]
#[derive(Debug)]
pub struct SavedList {
    kinds: SavedKinds,
    error: Option<EqualNames>,
}

impl SavedKinds {
    /// The kinds of the messages of these actors, a tuple of their types.
    ///
    /// # Errors
    ///
    /// Two types or two kinds of messages have one stable name.
    pub fn of<A: SavedActors>() -> Result<SavedKinds, EqualNames> {
        let mut list = SavedList {
            kinds: SavedKinds {
                actors: BTreeMap::new(),
                kinds: BTreeMap::new(),
                tables: BTreeMap::new(),
                targets: BTreeMap::new(),
            },
            error: None,
        };
        A::list(&mut list);
        match list.error {
            None => Ok(list.kinds),
            Some(error) => Err(error),
        }
    }

    /// The stable names of the actors, in order.
    pub fn actors(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.actors.keys().copied()
    }

    /// The kinds of their messages, in the order of the names.
    pub fn kinds(&self) -> impl Iterator<Item = SavedKind> + '_ {
        self.kinds.keys().copied()
    }

    /// The table of a kind of message that waits in mailboxes.
    pub(crate) fn kind(&self, kind: SavedKind) -> Option<&'static KindTable> {
        match kind.form {
            SavedForm::Runtime => runtime_kind(kind.name),
            _ => self.kinds.get(&kind)?.table,
        }
    }

    /// The table of a type of actor.
    pub(crate) fn class(&self, name: &str) -> Option<&'static Class> {
        self.actors.get(name).copied()
    }

    /// What an actor of this class is seen as under this name.
    pub(crate) fn target(&self, class: &Class, name: &str) -> Option<NamedTarget> {
        self.targets.get(&((class.type_id)(), name)).copied()
    }

    /// How an address of `T` reaches an actor of a type.
    pub(super) fn table<T: ?Sized + Target>(&self, actor: TypeId) -> Option<T::Table> {
        if actor == TypeId::of::<T>() {
            // The table of an actor is `()`.
            return (&() as &dyn Any).downcast_ref().copied();
        }
        let table = self.tables.get(&(actor, TypeId::of::<T>()))?;
        table.downcast_ref().copied()
    }
}

impl SavedList {
    /// An actor.
    pub fn actor<A: SavedActor>(&mut self) {
        let class = class_of::<A>();
        let id = (class.type_id)();
        if let Some(before) = self.kinds.actors.insert(A::NAME, class) {
            if (before.type_id)() == id {
                return;
            }
            let types = [(before.type_name)(), (class.type_name)()];
            self.equal(format!("the actor `{}`", A::NAME), types);
        }
        self.target::<A>(id);
        A::list(self);
    }

    /// How an address of an interface, the second type, reaches an actor of the first.
    pub(super) fn table(&mut self, types: (TypeId, TypeId), table: impl Any + Send + Sync) {
        self.kinds.tables.insert(types, Box::new(table));
    }

    /// Actors of this type are seen as `target`.
    pub(super) fn add_target(&mut self, actor: TypeId, target: NamedTarget) {
        let key = (actor, target.name.as_str());
        self.kinds.targets.insert(key, target);
    }

    /// A behaviour.
    pub fn message<B: Behaviour>(&mut self) {
        self.add::<B>(SavedForm::Message, B::NAME, Some(&Sent::<B>::KIND));
    }

    /// A behaviour in steps: the messages of its next steps.
    pub fn next_step<B: Stepped>(&mut self) {
        self.add::<B>(SavedForm::NextStep, B::NAME, Some(&NextStep::<B>::KIND));
    }

    /// A continuation.
    pub fn continuation<K: Continuation>(&mut self) {
        self.add::<K>(SavedForm::Continuation, K::NAME, None);
    }

    /// A start.
    pub fn start<S: StartFunction>(&mut self) {
        self.add::<S>(SavedForm::Start, S::NAME, Some(&Started::<S>::KIND));
    }

    /// A join.
    pub fn join<J: Join>(&mut self) {
        self.add::<J>(SavedForm::Join, J::NAME, None);
    }

    fn add<M: 'static>(
        &mut self,
        form: SavedForm,
        name: &'static str,
        table: Option<&'static KindTable>,
    ) {
        let (kind, marker) = (
            SavedKind { name, form },
            (TypeId::of::<M>(), std::any::type_name::<M>()),
        );
        match self.kinds.kinds.insert(kind, Entry { table, marker }) {
            Some(before) if before.marker.0 != marker.0 => {
                self.equal(format!("the {kind}"), [before.marker.1, marker.1]);
            }
            _ => {}
        }
    }

    fn equal(&mut self, what: String, types: [&'static str; 2]) {
        self.error.get_or_insert(EqualNames { what, types });
    }
}

macro_rules! tuples {
    ($(($($actor:ident)+))*) => {
        $(impl<$($actor: SavedActor),+> SavedActors for ($($actor,)+) {
            fn list(list: &mut SavedList) {
                $(list.actor::<$actor>();)+
            }
        })*
    };
}

tuples! {
    (A)
    (A B)
    (A B C)
    (A B C D)
    (A B C D E)
    (A B C D E F)
    (A B C D E F G)
    (A B C D E F G H)
    (A B C D E F G H I)
    (A B C D E F G H I J)
    (A B C D E F G H I J K)
    (A B C D E F G H I J K L)
}

impl fmt::Display for SavedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.form, self.name)
    }
}

impl fmt::Display for SavedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SavedForm::Message => "message",
            SavedForm::NextStep => "next step",
            SavedForm::Continuation => "continuation",
            SavedForm::Start => "start",
            SavedForm::Join => "join",
            SavedForm::Runtime => "message of the runtime",
        })
    }
}

impl fmt::Display for EqualNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, [one, other]) = (&self.what, self.types);
        write!(
            f,
            "two types stand for {what}: `{one}` and `{other}`. Give one of them another name by the option `id` of \
             `#[actor]`, and of its `#[behaviours]`"
        )
    }
}

impl Error for EqualNames {}

impl fmt::Debug for SavedKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}
