//! Patterns of messages, for synchronizers.

use super::address::Address;
use super::behaviour::Behaviour;
use super::call::Sent;
use super::promise::{Resolver, Withdrawal};
use crate::actor::{self, AddressRef, Envelope, KindTable, Rule, Unawaited};
use crate::interned::Name;
use std::fmt;

/// The messages of one behaviour to one actor, or those of them with certain arguments: what a
/// [`Synchronizer`](crate::Synchronizer) constrains.
///
/// The behaviour is named by its type, as `#[behaviours]` makes it: `fork_messages::PickUp<Fork>`
/// for `Fork::pick_up`.
///
/// ```
/// use vivant::Pattern;
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Fork;
/// #[behaviours] impl Fork { fn pick_up(&mut self, philosopher: usize) { let _ = philosopher; } }
///
/// let system = System::new();
/// let fork = system.spawn(Fork);
/// let mine = Pattern::<fork_messages::PickUp<Fork>>::at(&fork).when(|(philosopher,)| *philosopher == 3);
/// # drop(mine);
/// ```
///
/// A continuation is a message too, also if its own actor sends it. Not matched are the messages
/// that [`Turn::attach`](crate::Turn::attach) and a [`Topic`](crate::Topic) deliver, and those of
/// behaviours that a join takes, which a pattern cannot name. A pattern of a behaviour
/// `#[if_awaited]` is refused: its message could be withdrawn after the others of its set have run.
pub struct Pattern<B: Behaviour> {
    to: AddressRef,
    matches: Box<dyn Fn(&B::Args) -> bool + Send + Sync>,
}

impl<B: Behaviour> Pattern<B> {
    /// All messages of this behaviour to this actor.
    pub fn at(receiver: &Address<B::Actor>) -> Pattern<B> {
        const {
            assert!(
                B::JOINS.is_empty(),
                "a synchronizer cannot constrain a message that a join takes: constrain a behaviour with a body"
            );
        }
        Pattern {
            to: Address::counted(receiver),
            matches: Box::new(|_| true),
        }
    }

    /// Those of them with arguments for which `predicate` is true. It may be called several times
    /// for a message, on any thread that runs the receiver. If it panics, the synchronizer breaks
    /// down ([`Synchronizer`](crate::Synchronizer)).
    #[must_use]
    pub fn when(
        mut self,
        predicate: impl Fn(&B::Args) -> bool + Send + Sync + 'static,
    ) -> Pattern<B> {
        let matches = self.matches;
        self.matches = Box::new(move |args| matches(args) && predicate(args));
        self
    }
}

/// A list with this pattern alone, for
/// [`SynchronizerBuilder::upon`](crate::SynchronizerBuilder::upon).
impl<B: Behaviour> IntoIterator for Pattern<B> {
    type Item = Pattern<B>;
    type IntoIter = std::iter::Once<Pattern<B>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self)
    }
}

/// The arguments of a message of this behaviour.
pub(crate) fn args_of<B: Behaviour>(message: &Envelope) -> Option<&B::Args> {
    let content: Option<&(B::Args, Resolver<B::Reply>)> = message.content::<Sent<B>>();
    content.map(|(args, _)| args)
}

fn hold<B: Behaviour>(message: &Envelope) -> bool {
    let content = message.content::<Sent<B>>();
    content.is_some_and(|(_, resolver)| resolver.hold() == Withdrawal::Yes)
}

fn release<B: Behaviour>(message: &Envelope) {
    if let Some((_, resolver)) = message.content::<Sent<B>>() {
        resolver.release();
    }
}

impl<B: Behaviour> fmt::Debug for Pattern<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({} to {})", B::NAME, self.to.path())
    }
}

/// A pattern of any behaviour: `AnyPattern::from(pattern)`, for lists with several behaviours.
pub struct AnyPattern {
    to: AddressRef,
    name: Name,
    unawaited: Unawaited,
    is_of: fn(&KindTable) -> bool,
    matches: Box<dyn Fn(&Envelope) -> bool + Send + Sync>,
    hold: fn(&Envelope) -> bool,
    release: fn(&Envelope),
}

impl AnyPattern {
    pub(crate) fn receiver(&self) -> &AddressRef {
        &self.to
    }

    pub(crate) fn name(&self) -> Name {
        self.name
    }

    pub(crate) fn unawaited(&self) -> Unawaited {
        self.unawaited
    }

    /// The pattern as its receiver has it, and the receiver.
    pub(crate) fn with_rule(self, rule: Rule<Envelope>) -> (AddressRef, actor::Pattern) {
        let pattern = actor::Pattern {
            synchronizer: 0,
            is_of: self.is_of,
            matches: self.matches,
            hold: self.hold,
            release: self.release,
            rule,
        };
        (self.to, pattern)
    }
}

impl<B: Behaviour> From<Pattern<B>> for AnyPattern {
    fn from(pattern: Pattern<B>) -> AnyPattern {
        let Pattern { to, matches } = pattern;
        AnyPattern {
            to,
            name: Name::new(B::NAME),
            unawaited: B::UNAWAITED,
            is_of: KindTable::is_of::<Sent<B>>,
            matches: Box::new(move |message| args_of::<B>(message).is_some_and(&matches)),
            hold: hold::<B>,
            release: release::<B>,
        }
    }
}

impl fmt::Debug for AnyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyPattern({} to {})", self.name, self.to.path())
    }
}

/// One pattern, or several: a tuple of up to eight, an array or a vector.
pub trait Patterns {
    /// The patterns in order.
    fn into_patterns(self) -> Vec<AnyPattern>;
}

impl<B: Behaviour> Patterns for Pattern<B> {
    fn into_patterns(self) -> Vec<AnyPattern> {
        vec![self.into()]
    }
}

impl Patterns for AnyPattern {
    fn into_patterns(self) -> Vec<AnyPattern> {
        vec![self]
    }
}

impl<P: Into<AnyPattern>> Patterns for Vec<P> {
    fn into_patterns(self) -> Vec<AnyPattern> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<P: Into<AnyPattern>, const N: usize> Patterns for [P; N] {
    fn into_patterns(self) -> Vec<AnyPattern> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($first:ident $($name:ident)*;)*) => {$(
        #[allow(non_snake_case, reason = "the names of the types name the values too")]
        impl<$first: Into<AnyPattern>, $($name: Into<AnyPattern>),*> Patterns for ($first, $($name,)*) {
            fn into_patterns(self) -> Vec<AnyPattern> {
                let ($first, $($name,)*) = self;
                vec![$first.into(), $($name.into()),*]
            }
        }
    )*};
}

tuples! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
