//! Synchronizers: constraints over the messages of several actors.

mod saved;

pub use saved::{SavedSynchronizer, SynchronizerKind};

use crate::actor::{
    AddressRef, Envelope, Lasts, Observation, Pattern as MemberPattern, Rule, Shared, Source,
    Table, Unawaited, Update, observed,
};
use crate::api::{AnyPattern, Behaviour, Pattern, Patterns, args_of};
use crate::constraints::{
    Condition, Constraints, Declaration, SavedDeclaration, SynchronizerCodec,
};
use crate::interned::{Name, Place};
use crate::sync::Arc;
use std::any::Any;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use vivant_codec::SaveError;

/// Constraints over the messages of a group of actors: messages that are dispatched together or not
/// at all, and messages that wait while a condition holds. Declared apart from the actors; their
/// senders and receivers have no code for it.
///
/// Each receiver enforces the constraints when it is about to begin a message. A message that may
/// not begin waits, as one with a false guard does: later messages go first, it keeps its place in
/// a bounded mailbox, [`System::inspect`](crate::System::inspect) shows it as deferred, and
/// time limits and the end of its actor mean what they mean for any message.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Pattern, Synchronizer};
///
/// #[derive(Actor)] struct Account { balance: i64 }
/// #[behaviours] impl Account {
///     fn pay(&mut self, transfer: u64, amount: i64) -> i64 {
///         let _ = transfer;
///         self.balance += amount;
///         self.balance
///     }
/// }
/// use account_messages::Pay;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let system = System::new();
/// let (ada, bob) = (system.spawn(Account { balance: 9 }), system.spawn(Account { balance: 0 }));
///
/// // The two halves of transfer 7 happen together.
/// let is_7 = |args: &(u64, i64)| args.0 == 7;
/// let halves = (Pattern::<Pay<Account>>::at(&ada).when(is_7), Pattern::<Pay<Account>>::at(&bob).when(is_7));
/// let transfer = Synchronizer::new().atomic(halves).declare()?;
///
/// ada.pay(7, -5).send();
/// assert_eq!(ada.pay(0, 0).ask_blocking()?, 9);       // it waits, and others do not
/// assert_eq!(bob.pay(7, 5).ask_blocking()?, 5);       // both go
/// assert_eq!(ada.pay(0, 0).ask_blocking()?, 4);
/// transfer.lift();
/// # Ok(()) }
/// ```
///
/// # Together or not at all
///
/// [`atomic`](SynchronizerBuilder::atomic) takes two or more patterns at different actors. Once
/// a message for each pattern waits, with a true guard, all of them begin: each is the next message
/// of its actor, and no turn of these actors comes between the moment in which all are free and
/// these turns. For each pattern the message that waits longest goes. A message may match patterns
/// of several sets, also of different synchronizers: then all their messages begin together.
/// At no time does a message wait for another while its actor is held, so sets that overlap cannot
/// block each other.
///
/// A member that waits exclusively, is muted or runs a behaviour in steps takes part when that is
/// over. Members are held for the time that the runtime needs to ask all of them, which includes
/// the turn that each is running.
///
/// Messages that begin exclusive waits pass a message of a set a few times, not without end. If
/// they have passed it over, the members that are at rest are held until the exclusive waits of the
/// others are over, for up to 64 ms. Exclusive waits that last longer, and those that need a turn
/// of another member of the set, may pass it as long as they come. No message of a set goes before
/// an older message to the same actor that can go.
///
/// # Conditions
///
/// A synchronizer may have a state ([`Synchronizer::with`]).
/// [`disable`](SynchronizerBuilder::disable) makes messages wait while a condition over it holds;
/// [`upon`](SynchronizerBuilder::upon) changes it when a message is dispatched. Test and change are
/// one step: no other message of this synchronizer begins in between.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::simulation::Simulation;
/// use vivant::{Pattern, Synchronizer};
///
/// #[derive(Actor)] struct Printer { printed: u64 }
/// #[behaviours] impl Printer {
///     fn print(&mut self, pages: u64) { self.printed += pages; }
///     fn printed(&self) -> u64 { self.printed }
///     fn add_paper(&mut self) {}
/// }
/// use printer_messages::{AddPaper, Print};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let simulation = Simulation::new(1);
/// let printers = [0, 0].map(|printed| simulation.system().spawn(Printer { printed }));
/// let print = || printers.each_ref().map(|printer| Pattern::<Print<Printer>>::at(printer));
/// let add = Pattern::<AddPaper<Printer>>::at(&printers[0]);
///
/// // Ten pages for both.
/// let _paper = Synchronizer::with(10_u64)
///     .disable(print(), |paper| *paper == 0)
///     .upon(print(), |(pages,)| {
///         let pages = *pages;
///         move |paper: &mut u64| *paper = paper.saturating_sub(pages)
///     })
///     .upon(add, |()| |paper: &mut u64| *paper += 10)
///     .declare()?;
///
/// printers[0].print(6).send();
/// printers[0].print(6).send();
/// simulation.run();
/// printers[1].print(6).send();                                 // waits: there is no paper
/// assert_eq!(printers[1].printed().ask_blocking()?, 0);
/// printers[0].add_paper().send();
/// simulation.run();
/// assert_eq!(printers[1].printed().ask_blocking()?, 6);
/// # Ok(()) }
/// ```
///
/// # When it begins and ends
///
/// After [`declare`](SynchronizerBuilder::declare) it constrains the messages that are sent, or
/// caused, later, and those that wait for a guard. Messages that are on their way meanwhile may go
/// unconstrained. It ends when the handle is dropped or [lifted](Synchronizer::lift); what waited
/// for it goes on.
///
/// A restart of a member changes nothing: a constraint belongs to the actor, not to its state. When
/// a member ends for good, its part of a set can never be dispatched. Then a message that matches
/// another pattern of that set is refused: it is a dead letter
/// ([`Cause::Constrained`](crate::Cause::Constrained)), and its ask fails with
/// [`AskError::Constrained`](crate::AskError::Constrained), which names the ended member. The other
/// sets, and `disable` and `upon` of the other members, stay. A synchronizer does not keep its
/// members alive.
///
/// If a guard panics, its message fails and its actor ends, as by a panic of the message's turn.
/// The others of the set wait, or are refused if the actor is not restarted.
///
/// If a predicate, a condition or a change panics, the panic is reported
/// ([`Report::Panicked`](crate::Report::Panicked)) and the synchronizer breaks down: each message
/// that matches one of its patterns is refused in the same way, until it is lifted.
///
/// Messages that wait for each other for ever are not found; a time limit is the answer, as with
/// guards.
///
/// # In a snapshot
///
/// A snapshot cannot have closures: one of a saved actor with such a synchronizer fails. What is
/// declared by [`Synchronizer::saved`] goes on after a restore: see [`SavedSynchronizer`].
///
/// # Cost
///
/// Nothing for actors that no synchronizer constrains. A constrained message costs some
/// microseconds, and for each further member of its set that of a signal. A predicate is called
/// once for each message that waits, as a rule. Synchronizers of one
/// system share a lock, which is held for some table operations and never while user code runs.
#[must_use = "its constraints end when it is dropped"]
pub struct Synchronizer {
    system: Arc<Shared>,
    number: u64,
    lasts: Lasts,
}

impl Synchronizer {
    /// A synchronizer without a state, to be declared.
    #[allow(clippy::new_ret_no_self, reason = "it exists once it is declared")]
    pub fn new() -> SynchronizerBuilder<()> {
        Synchronizer::with(())
    }

    /// A synchronizer with this state, to be declared.
    pub fn with<S: Send + 'static>(state: S) -> SynchronizerBuilder<S> {
        SynchronizerBuilder {
            state,
            members: BTreeMap::new(),
            sets: Vec::new(),
            conditions: Vec::new(),
            error: None,
            saved: None,
        }
    }

    /// Makes it last as long as its system, whatever becomes of its members. A snapshot has it then
    /// also if nothing in the snapshot has its handle ([`SavedSynchronizer`]).
    pub fn forever(mut self) {
        Constraints::of(&self.system).lasts_forever(self.number, &self.system);
        self.lasts = Lasts::Forever;
    }

    /// Ends its constraints: what waited for them goes on, as soon as its actor takes its next
    /// message. A dispatch that has begun is finished.
    pub fn lift(self) {}
}

impl Drop for Synchronizer {
    fn drop(&mut self) {
        if self.lasts == Lasts::AsHandle {
            Constraints::of(&self.system).lift(self.number, &self.system);
        }
    }
}

impl fmt::Debug for Synchronizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Synchronizer({})", self.number)
    }
}

/// How a saved synchronizer is written, and what encodes its arguments once the system of its
/// members is known.
type SavedParts = (
    SynchronizerCodec,
    Box<dyn FnOnce(&Arc<Shared>) -> Result<Vec<u8>, SaveError>>,
);

/// A synchronizer that is not declared yet: see [`Synchronizer`].
#[must_use = "it constrains nothing before `declare`"]
pub struct SynchronizerBuilder<S> {
    state: S,
    members: BTreeMap<u64, (AddressRef, Vec<MemberPattern>)>,
    sets: Vec<Vec<u64>>,
    conditions: Vec<Condition>,
    error: Option<SynchronizerError>,
    /// `None`: it is made of closures.
    saved: Option<SavedParts>,
}

impl<S: Send + 'static> SynchronizerBuilder<S> {
    /// Messages for all of these patterns are dispatched together or not at all. The patterns are
    /// at different actors.
    pub fn atomic(mut self, patterns: impl Patterns) -> Self {
        let patterns = patterns.into_patterns();
        if patterns.len() < 2 {
            self.error.get_or_insert(SynchronizerError::TooFew);
        }
        let set = self.sets.len();
        let mut actors = Vec::new();
        for (place, pattern) in patterns.into_iter().enumerate() {
            let (id, actor) = (pattern.receiver().id, pattern.receiver().path());
            self.add(pattern, Rule::Together { set, place });
            if actors.contains(&id) {
                let twice = SynchronizerError::SameActor { actor };
                self.error.get_or_insert(twice);
            }
            actors.push(id);
        }
        self.sets.push(actors);
        self
    }

    /// No message for one of these patterns is dispatched while the condition holds. The condition
    /// is evaluated when the synchronizer is declared, and after each change of its state.
    pub fn disable(
        mut self,
        patterns: impl Patterns,
        condition: impl Fn(&S) -> bool + Send + Sync + 'static,
    ) -> Self {
        let gate = self.conditions.len();
        self.conditions.push(Box::new(move |state: &dyn Any| {
            state.downcast_ref().is_some_and(&condition)
        }));
        for pattern in patterns.into_patterns() {
            self.add(pattern, Rule::Gate(gate));
        }
        self
    }

    /// Each dispatch of a message for one of these patterns changes the state: `change` is called
    /// with the arguments of the message, and returns the change.
    pub fn upon<B, P, F, U>(mut self, patterns: P, change: F) -> Self
    where
        B: Behaviour,
        P: IntoIterator<Item = Pattern<B>>,
        F: Fn(&B::Args) -> U + Send + Sync + 'static,
        U: FnOnce(&mut S) + Send + 'static,
    {
        let change = Arc::new(change);
        for pattern in patterns {
            let change = change.clone();
            let update = move |message: &_| -> Update {
                let change = args_of::<B>(message).map(|args| change(args));
                Box::new(move |state: &mut dyn Any| {
                    if let (Some(change), Some(state)) = (change, state.downcast_mut()) {
                        change(state);
                    }
                })
            };
            self.add(pattern.into(), Rule::Update(Box::new(update)));
        }
        self
    }

    fn add(&mut self, pattern: AnyPattern, rule: Rule<Envelope>) {
        if let Unawaited::Withdrawn = pattern.unawaited() {
            let behaviour = pattern.name();
            let if_awaited = SynchronizerError::IfAwaited { behaviour };
            self.error.get_or_insert(if_awaited);
        }
        let (to, pattern) = pattern.with_rule(rule);
        let other = self.members.values().next();
        if other.is_some_and(|(other, _)| !Arc::ptr_eq(&other.system, &to.system)) {
            let actor = to.path();
            let other_system = SynchronizerError::OtherSystem { actor };
            self.error.get_or_insert(other_system);
            return;
        }
        let member = self.members.entry(to.id).or_insert((to, Vec::new()));
        member.1.push(pattern);
    }

    /// Declares it: see [`Synchronizer`]. Costs a message to each member.
    ///
    /// # Errors
    ///
    /// See [`SynchronizerError`].
    ///
    /// # Panics
    ///
    /// If a condition panics.
    #[track_caller]
    pub fn declare(self) -> Result<Synchronizer, SynchronizerError> {
        let system = self.members.values().next();
        let Some(system) = system.map(|(to, _)| to.system.clone()) else {
            return Err(self.error.unwrap_or(SynchronizerError::TooFew));
        };
        let declaration = self.declaration(&system, Place::caller())?;
        let declared = Constraints::of(&system).declare(&system, declaration);
        let source = Source::Table(Table::Synchronizers);
        match observed(Observation::Synchronizer, source, declared) {
            Ok(number) => Ok(Synchronizer {
                system,
                number,
                lasts: Lasts::AsHandle,
            }),
            Err(ended) => Err(SynchronizerError::Ended {
                actor: ended.path(),
            }),
        }
    }
}

impl<S: Send + 'static> SynchronizerBuilder<S> {
    /// What is declared at this place, over actors of this system.
    fn declaration(
        self,
        system: &Arc<Shared>,
        place: Place,
    ) -> Result<Declaration, SynchronizerError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut members = self.members.values();
        if let Some((to, _)) = members.find(|(to, _)| !Arc::ptr_eq(&to.system, system)) {
            let actor = to.path();
            return Err(SynchronizerError::OtherSystem { actor });
        }
        if self.members.is_empty() {
            return Err(SynchronizerError::TooFew);
        }
        Ok(Declaration {
            members: self.members,
            sets: self.sets,
            conditions: self.conditions,
            state: Box::new(self.state),
            place,
            saved: self.saved.map(|(kind, encode)| SavedDeclaration {
                kind,
                args: encode(system),
            }),
        })
    }
}

impl<S> fmt::Debug for SynchronizerBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.members.values().map(|(to, _)| to.path());
        f.debug_list().entries(paths).finish()
    }
}

/// Why a synchronizer was not declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SynchronizerError {
    /// It has no pattern, or a set has fewer than two.
    TooFew,
    /// Two patterns of a set are at this actor, which begins one message at a time.
    SameActor {
        /// Its path.
        actor: String,
    },
    /// This actor belongs to another system than the first one.
    OtherSystem {
        /// Its path.
        actor: String,
    },
    /// This behaviour is `#[if_awaited]`: its message could be withdrawn between the decision to
    /// dispatch it and its turn.
    IfAwaited {
        /// Its name.
        behaviour: Name,
    },
    /// This actor has ended.
    Ended {
        /// Its path.
        actor: String,
    },
}

impl fmt::Display for SynchronizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SynchronizerError::TooFew => f.write_str(
                "a synchronizer needs a pattern, and each of its sets two or more: \
                 give `atomic` the patterns of all messages that belong together",
            ),
            SynchronizerError::SameActor { actor } => write!(
                f,
                "two patterns of a set are at {actor}, which begins one message at a time: \
                 give `atomic` patterns at different actors, or use a join"
            ),
            SynchronizerError::OtherSystem { actor } => write!(
                f,
                "{actor} belongs to another system: a synchronizer constrains actors of one system"
            ),
            SynchronizerError::IfAwaited { behaviour } => write!(
                f,
                "`{behaviour}` is `#[if_awaited]`, so its message can be withdrawn at any time: \
                 constrain a behaviour without that attribute"
            ),
            SynchronizerError::Ended { actor } => write!(
                f,
                "{actor} has ended: declare the synchronizer over actors that are alive"
            ),
        }
    }
}

impl Error for SynchronizerError {}

vivant_heap::leaf!([] Synchronizer);
