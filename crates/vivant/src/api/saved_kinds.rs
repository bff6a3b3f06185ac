//! [`SavedKinds`]: the types and the messages of a program that are saved, by their stable names.

use super::actor::Actor;
use super::behaviour::{Behaviour, Continuation};
use super::call::Sent;
use super::class::class_of;
use super::join::Join;
use super::link::Target;
use super::own_message::Own;
use super::promise::saved::{ReplyOf, ValueOf, ValueTypes};
use super::requests::{runtime_kind, runtime_shapes};
use super::saved_kind::{SavedForm, SavedKind};
use super::saved_subscription::{ListedSubscriber, Subscribe};
use super::saved_synchronizer::ListedSynchronizer;
use super::start::{StartFunction, Started};
use super::stepped::{NextStep, Stepped};
use crate::actor::{AddressRef, Class, KindTable, MessageKind, SavedClass};
use crate::interned::Name;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};
use vivant_codec::{SaveError, Shape, Shapes};
use vivant_heap::ObjectCodecs;

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
    kinds: BTreeMap<(&'static str, SavedForm), Entry>,
    /// How an address of an interface, the second type, reaches an actor of the first.
    tables: BTreeMap<(TypeId, TypeId), Box<dyn Any + Send + Sync>>,
    values: ValueTypes,
    /// What an actor can be seen as, by its type and the name of that: its own type, or an
    /// interface.
    targets: BTreeMap<(TypeId, &'static str), NamedTarget>,
    /// The continuations of topics, by name.
    subscribers: BTreeMap<&'static str, ListedSubscriber>,
    /// By the stable names of their states.
    synchronizers: BTreeMap<&'static str, ListedSynchronizer>,
    /// The table of all shapes, once a snapshot has needed it.
    shapes: OnceLock<Shapes>,
    /// How objects of heaps are saved, once a snapshot has needed it.
    objects: OnceLock<Arc<ObjectCodecs>>,
}

/// A type of addresses, by its name.
#[derive(Clone, Copy)]
pub(crate) struct NamedTarget {
    pub(crate) name: Name,
    /// Makes a `WeakAddress` of the type.
    pub(crate) weak: fn(&SavedKinds, AddressRef) -> Option<Box<dyn Any + Send + Sync>>,
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
    /// The type of actor that takes it.
    actor: TypeId,
    marker: (TypeId, &'static str),
}

/// A list of what a program saves: a tuple of up to twelve saved actors and
/// [kinds of synchronizers](crate::SynchronizerKind).
pub trait SavedActors {
    /// Lists each of them.
    #[doc(hidden)]
    fn list(list: &mut SavedList);
}

/// What a program can list: a [saved actor](SavedActor), or a
/// [kind of synchronizers](crate::SynchronizerKind).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a saved actor",
    label = "not saved",
    note = "a saved actor says `#[derive(Actor)] #[actor(saved)]`, or `#[actor(saved(restart))]` if it shall start again"
)]
pub trait Listed {
    /// Lists it.
    #[doc(hidden)]
    fn list(list: &mut SavedList);
}

impl<A: SavedActor> Listed for A {
    fn list(list: &mut SavedList) {
        list.actor::<A>();
    }
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
                values: ValueTypes::default(),
                targets: BTreeMap::new(),
                subscribers: BTreeMap::new(),
                synchronizers: BTreeMap::new(),
                shapes: OnceLock::new(),
                objects: OnceLock::new(),
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
        self.kinds
            .keys()
            .map(|(name, form)| SavedKind { name, form: *form })
    }

    /// The table of a kind of message that waits in mailboxes.
    pub(crate) fn kind<'k>(&'k self, form: SavedForm, name: &'k str) -> Option<&'static KindTable> {
        if form == SavedForm::Runtime
            && let Some(of_any_actor) = runtime_kind(name)
        {
            return Some(of_any_actor);
        }
        let kinds: &BTreeMap<(&'k str, SavedForm), Entry> = &self.kinds;
        kinds.get(&(name, form))?.table
    }

    /// As `kind`, of a message that an actor of this type takes.
    pub(crate) fn kind_of<'k>(
        &'k self,
        actor: TypeId,
        form: SavedForm,
        name: &'k str,
    ) -> Option<&'static KindTable> {
        if form == SavedForm::Runtime
            && let Some(of_any_actor) = runtime_kind(name)
        {
            return Some(of_any_actor);
        }
        let kinds: &BTreeMap<(&'k str, SavedForm), Entry> = &self.kinds;
        let entry = kinds.get(&(name, form))?;
        entry.table.filter(|_| entry.actor == actor)
    }

    /// The table of the shapes of all states, messages and promises. One program always has the
    /// same table.
    pub(crate) fn shapes(&self) -> Result<&Shapes, SaveError> {
        if let Some(shapes) = self.shapes.get() {
            return Ok(shapes);
        }
        let mut shapes = Shapes::default();
        for shape in self.each_shape().chain(self.objects().shapes()) {
            shapes.add(shape)?;
        }
        Ok(self.shapes.get_or_init(|| shapes))
    }

    /// How the objects are saved that states, messages and promises can refer to. One program
    /// always has the same numbers of their types.
    pub(crate) fn objects(&self) -> &Arc<ObjectCodecs> {
        self.objects.get_or_init(|| {
            let mut codecs = ObjectCodecs::new();
            self.each_shape().for_each(|shape| codecs.add(shape));
            Arc::new(codecs)
        })
    }

    /// By the names of states, messages and promises.
    fn each_shape(&self) -> impl Iterator<Item = &'static Shape> + '_ {
        let state = |class: &&'static Class| match &class.saved {
            SavedClass::State(functions) => Some(functions.shape),
            SavedClass::Start(_) | SavedClass::Nothing => None,
        };
        let content = |entry: &Entry| Some(entry.table?.codec.as_ref()?.shape);
        let locals = |entry: &Entry| Some(entry.table?.codec.as_ref()?.locals?.shape);
        let locals = self.kinds.values().filter_map(locals);
        let states = self.actors.values().filter_map(state);
        let contents = self.kinds.values().filter_map(content);
        states
            .chain(contents)
            .chain(locals)
            .chain(self.values.shapes())
            .chain(self.synchronizers.values().flat_map(|it| it.shapes))
            .chain(runtime_shapes())
    }

    /// The table of a type of actor.
    pub(crate) fn class(&self, name: &str) -> Option<&'static Class> {
        self.actors.get(name).copied()
    }

    /// The types of the values of its promises.
    pub(crate) fn values(&self) -> &ValueTypes {
        &self.values
    }

    /// What an actor of this class is seen as under this name.
    pub(crate) fn target(&self, class: &Class, name: &str) -> Option<NamedTarget> {
        self.targets.get(&((class.type_id)(), name)).copied()
    }

    /// How a subscription of an actor of this type is restored, if the behaviour of this name
    /// continues it.
    pub(crate) fn subscribe(&self, actor: TypeId, behaviour: &str) -> Option<Subscribe> {
        let listed = self.subscribers.get(behaviour)?;
        (listed.actor == actor).then_some(listed.subscribe)
    }

    /// The synchronizers with this stable name.
    pub(crate) fn synchronizer(&self, name: &str) -> Option<ListedSynchronizer> {
        self.synchronizers.get(name).copied()
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
        self.add::<B, B::Actor>(SavedForm::Message, B::NAME, Some(&Sent::<B>::KIND));
        self.kinds.values.add::<ReplyOf<B>>(ValueOf::Reply, B::NAME);
    }

    /// A behaviour of an actor of the runtime, as a message of another one.
    pub(crate) fn own<B: Behaviour<Reply = ()>>(&mut self) {
        self.add::<B, B::Actor>(SavedForm::Runtime, B::NAME, Some(&Own::<B>::KIND));
    }

    /// A behaviour in steps: the messages of its next steps.
    pub fn next_step<B: Stepped>(&mut self) {
        self.add::<B, B::Actor>(SavedForm::NextStep, B::NAME, Some(&NextStep::<B>::KIND));
    }

    /// A continuation.
    pub fn continuation<K: Continuation>(&mut self) {
        self.add::<K, K::Actor>(SavedForm::Continuation, K::NAME, None);
    }

    /// The types of the values of promises.
    pub(super) fn values(&mut self) -> &mut ValueTypes {
        &mut self.kinds.values
    }

    /// A start.
    pub fn start<S: StartFunction>(&mut self) {
        self.add::<S, S::Actor>(SavedForm::Start, S::NAME, Some(&Started::<S>::KIND));
    }

    /// A join.
    pub fn join<J: Join>(&mut self) {
        self.add::<J, J::Actor>(SavedForm::Join, J::NAME, None);
    }

    /// A type of synchronizers, with its stable name.
    pub(crate) fn synchronizer(&mut self, name: &'static str, listed: ListedSynchronizer) {
        match self.kinds.synchronizers.insert(name, listed) {
            Some(before) if before.type_id != listed.type_id => {
                let types = [before.type_name, listed.type_name];
                self.equal(format!("the synchronizer `{name}`"), types);
            }
            _ => {}
        }
    }

    /// A continuation that a topic may have: the table of its messages, and how its subscriptions
    /// are restored.
    pub(crate) fn published<K: Continuation>(
        &mut self,
        table: &'static KindTable,
        subscribe: Subscribe,
    ) {
        self.add::<K, K::Actor>(SavedForm::Published, K::NAME, Some(table));
        let actor = TypeId::of::<K::Actor>();
        let listed = ListedSubscriber { actor, subscribe };
        self.kinds.subscribers.insert(K::NAME, listed);
    }

    /// A continuation that a stream may have: the table of its messages.
    pub(crate) fn streamed<K: Continuation>(&mut self, table: &'static KindTable) {
        self.add::<K, K::Actor>(SavedForm::Published, K::NAME, Some(table));
    }

    fn add<M: 'static, A: Actor>(
        &mut self,
        form: SavedForm,
        name: &'static str,
        table: Option<&'static KindTable>,
    ) {
        let (kind, marker) = (
            SavedKind { name, form },
            (TypeId::of::<M>(), std::any::type_name::<M>()),
        );
        let actor = TypeId::of::<A>();
        let entry = Entry {
            table,
            actor,
            marker,
        };
        match self.kinds.kinds.insert((name, form), entry) {
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
        $(impl<$($actor: Listed),+> SavedActors for ($($actor,)+) {
            fn list(list: &mut SavedList) {
                $(<$actor as Listed>::list(list);)+
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
