//! [`Scope`]: the actors that an image is to contain.

use super::class::SavedClass;
use super::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::Arc;

/// The actors that an image is to contain, as far as they are saved.
#[derive(Clone, Default, Debug)]
#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "snapshots are a feature")
)]
pub(crate) enum Scope {
    /// All of the system.
    #[default]
    System,
    /// The actor with these numbers, as [`Header::numbers`] gives them, and all below it.
    Tree(Arc<[u32]>),
}

/// How an actor is saved that is not in the scope.
static NOTHING: SavedClass = SavedClass::Nothing;

impl Scope {
    /// This actor and all below it.
    #[cfg(feature = "snapshots")]
    pub(crate) fn tree(root: &Header) -> Scope {
        Scope::Tree(root.numbers().into())
    }

    pub(crate) fn contains(&self, actor: &Header) -> bool {
        #[cfg(test)]
        if is_planted(InjectedFault::ScopeIgnored) {
            return true;
        }
        match self {
            Scope::System => true,
            Scope::Tree(root) => actor.numbers().starts_with(root),
        }
    }

    /// How the image saves an actor. Outside of the scope it is as if its type were not saved.
    pub(crate) fn saved(&self, actor: &Header) -> &'static SavedClass {
        match self.contains(actor) {
            true => &actor.class.saved,
            false => &NOTHING,
        }
    }

    pub(crate) fn is_saved(&self, actor: &Header) -> bool {
        !matches!(self.saved(actor), SavedClass::Nothing)
    }
}
