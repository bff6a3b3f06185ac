//! Supervision in a restored system: what children and supervisors know of each other, and the
//! registry of trees.

use super::supervisor::Supervisor;
use super::trees::{Restarts, Trees};
use crate::actor::{AddressRef, CellRef, Class, Ended, SetOnce, StateRef, TreeEnd};
use crate::failures::StopReason;
use crate::sync::Arc;
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The children of a restore, while their supervisors are loaded. A context of the decoder.
pub(crate) struct LoadedTrees(RefCell<BTreeMap<u64, LoadedChild>>);

struct LoadedChild {
    /// The child has it, and its supervisor.
    end: TreeEnd,
    adoption: Adoption,
}

/// Whether a supervisor has the child, or a message brings the child to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Adoption {
    Not,
    Done,
}

impl LoadedTrees {
    /// `children` are all actors that have a supervisor.
    pub(crate) fn new(children: impl Iterator<Item = u64>) -> LoadedTrees {
        let child = |id| {
            let loaded = LoadedChild {
                end: Arc::new(SetOnce::new()),
                adoption: Adoption::Not,
            };
            (id, loaded)
        };
        LoadedTrees(RefCell::new(children.map(child).collect()))
    }

    /// Where the supervisor says why it ends this child.
    pub(crate) fn end_of(&self, child: u64) -> Option<TreeEnd> {
        Some(self.0.borrow().get(&child)?.end.clone())
    }

    /// Its supervisor is loaded, and says why it ends the child, if it does. An error says why the
    /// actor is no child.
    pub(super) fn adopt(
        &self,
        child: &AddressRef,
        reason: Option<StopReason>,
    ) -> Result<TreeEnd, &'static str> {
        let mut children = self.0.borrow_mut();
        let end = match children.get_mut(&child.id) {
            // Of its end the supervisor has not heard yet.
            None if child.ended().is_some() => Arc::new(SetOnce::new()),
            None => return Err("a child that knows of no supervisor"),
            Some(known) if known.adoption == Adoption::Done => {
                return Err("a child that two supervisors have");
            }
            Some(known) => {
                known.adoption = Adoption::Done;
                known.end.clone()
            }
        };
        if let Some(reason) = reason {
            set_end(&end, child, reason);
        }
        Ok(end)
    }

    /// The children that no supervisor has. The line of the cut ran between the birth of such a
    /// child and the message that brings it to its supervisor.
    pub(crate) fn without_supervisor(&self) -> Vec<u64> {
        let children = self.0.borrow();
        let without = children
            .iter()
            .filter(|(_, child)| child.adoption == Adoption::Not);
        without.map(|(id, _)| *id).collect()
    }
}

/// The supervisor of this child has said that it ends for this reason.
pub(crate) fn set_end(end: &TreeEnd, child: &AddressRef, reason: StopReason) {
    let phase = child.system.passes.now().phase();
    end.set(Ended { reason, phase });
}

/// Whether actors of this class are supervisors.
pub(crate) fn is_supervisor(class: &Class) -> bool {
    (class.type_id)() == TypeId::of::<Supervisor>()
}

/// The supervisor of an actor that is one itself, and where it says why it ends it.
pub(crate) fn supervisor_above(state: &mut StateRef<'_>) -> Option<(CellRef, TreeEnd)> {
    let above = |it: &Supervisor| it.parent.clone().zip(it.end_above.clone());
    state.look::<Supervisor, _>(above)?
}

/// The numbers of the children of an actor that is a supervisor.
pub(crate) fn children_of(state: &mut StateRef<'_>) -> Vec<u64> {
    let children = state.look::<Supervisor, _>(|it| it.children.keys().copied().collect());
    children.unwrap_or_default()
}

/// Gives a restored supervisor its own one, and the registry what it has of both.
pub(crate) fn restore_supervisor(
    supervisor: &AddressRef,
    state: &mut StateRef<'_>,
    above: Option<(CellRef, TreeEnd)>,
) {
    let system = &supervisor.system;
    if above.is_none() {
        Trees::of(system).insert(supervisor);
    }
    state.with_stored::<Supervisor>(|state, _| {
        (state.parent, state.end_above) = above.unzip();
        for (number, child) in &state.children {
            let restarts = child.starts.saturating_sub(1);
            Restarts::of(system).restore(*number, restarts);
        }
    });
}
