//! [`SaveKind`]: what a snapshot contains of an actor, as a type.

use super::kept_start::{KeepStart, KeptStart};
use std::fmt::Debug;

/// What a snapshot contains of an actor: [`Actor::SaveKind`](crate::Actor::SaveKind).
///
/// `#[derive(Actor)]` chooses it: [`SavedState`] for `#[actor(saved)]`, [`SavedStart`] for
/// `#[actor(saved(restart))]`, and [`NotSaved`] otherwise. There are no others.
pub trait SaveKind: Sealed + Debug + Send + Sync + 'static {
    /// The kind by which the locals of a behaviour in steps are bound: they are a part of the
    /// state.
    type Locals: SaveKind;

    /// What an actor of this kind keeps of its start, in its cell.
    #[doc(hidden)]
    type Start: KeepStart;

    /// The kind as a value.
    #[doc(hidden)]
    const SAVES: Saves;
}

/// A kind as a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    Nothing,
    State,
    Start,
}

impl Saves {
    /// Whether messages of the actor are saved.
    pub(crate) const fn messages(self) -> bool {
        !matches!(self, Saves::Nothing)
    }
}

/// Not saved: a snapshot has neither the state nor the messages. After a restore the actor has
/// ended.
#[derive(Debug)]
pub struct NotSaved(());

/// `#[actor(saved)]`: the state and the waiting messages are saved.
#[derive(Debug)]
pub struct SavedState(());

/// `#[actor(saved(restart))]`: the arguments of the start and the waiting messages are saved. At a
/// restore the actor starts again.
#[derive(Debug)]
pub struct SavedStart(());

/// Only the kinds above are kinds.
pub trait Sealed {}

impl Sealed for NotSaved {}
impl Sealed for SavedState {}
impl Sealed for SavedStart {}

impl SaveKind for NotSaved {
    type Locals = NotSaved;
    type Start = ();
    const SAVES: Saves = Saves::Nothing;
}

impl SaveKind for SavedState {
    type Locals = SavedState;
    type Start = ();
    const SAVES: Saves = Saves::State;
}

/// The state is made anew, so a step of a behaviour that was begun has nothing to go on with.
impl SaveKind for SavedStart {
    type Locals = NotSaved;
    type Start = KeptStart;
    const SAVES: Saves = Saves::Start;
}
