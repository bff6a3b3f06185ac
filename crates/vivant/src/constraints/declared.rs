//! A declared synchronizer: its state, and the user code that reads and changes it.

use super::content::Content;
use super::offer::{GateState, Hopeless, hopeless};
use super::saved::SavedDeclaration;
use crate::actor::{AddressRef, CellRef, Lasts, Pattern, Shared, Update};
use crate::failures::{Caught, catch};
use crate::interned::Place;
use crate::phase::Phase;
use crate::sync::{Arc, Mutex, lock};
use std::any::Any;
use std::collections::BTreeMap;

/// A condition over the state of a synchronizer. User code.
pub(crate) type Condition = Box<dyn Fn(&dyn Any) -> bool + Send + Sync>;

/// What is declared.
pub(crate) struct Declaration {
    /// By their ids: the members with the patterns of their messages.
    pub(crate) members: BTreeMap<u64, (AddressRef, Vec<Pattern>)>,
    /// The actors of each set, by their places.
    pub(crate) sets: Vec<Vec<u64>>,
    /// The conditions under which the gates are shut.
    pub(crate) conditions: Vec<Condition>,
    pub(crate) state: Box<dyn Any + Send>,
    /// Where in the source it is declared.
    pub(crate) place: Place,
    /// `None`: it is made of closures.
    pub(crate) saved: Option<SavedDeclaration>,
}

pub(super) struct Declared {
    pub(super) number: u64,
    pub(super) place: Place,
    pub(super) members: Vec<CellRef>,
    conditions: Vec<Condition>,
    pub(super) saved: Option<SavedDeclaration>,
    pub(super) content: Mutex<Content>,
}

impl Declared {
    /// `code` is the phase of the code that declares it.
    pub(super) fn new(
        number: u64,
        members: Vec<CellRef>,
        conditions: Vec<Condition>,
        declaration: (Place, Option<SavedDeclaration>),
        content: Content,
    ) -> Declared {
        let (place, saved) = declaration;
        Declared {
            number,
            place,
            members,
            conditions,
            saved,
            content: Mutex::new(content),
        }
    }

    /// Returns the states of the gates. A panic of a condition passes through.
    pub(super) fn gates(&self) -> Vec<GateState> {
        let Some(state) = lock(&self.content).state.take() else {
            return Vec::new();
        };
        let gates = self.gates_of(&*state);
        lock(&self.content).state = Some(state);
        gates
    }

    fn gates_of(&self, state: &dyn Any) -> Vec<GateState> {
        let gate = |condition: &Condition| match condition(state) {
            true => GateState::Shut,
            false => GateState::Open,
        };
        self.conditions.iter().map(gate).collect()
    }

    /// Changes the state, in a commit of this phase. Returns the states of the gates after that.
    pub(super) fn update(
        &self,
        updates: Vec<Update>,
        code: Phase,
        system: &Arc<Shared>,
    ) -> Result<Vec<GateState>, Broken> {
        let taken = {
            let mut content = lock(&self.content);
            self.changes(&mut content, code, system);
            content.take_state()
        };
        let Some(mut state) = taken else {
            return Ok(Vec::new());
        };
        let mut rest = updates.into_iter();
        let gates = catch(|| {
            for update in rest.by_ref() {
                update(&mut *state);
            }
            self.gates_of(&*state)
        });
        let mut content = lock(&self.content);
        // An image has the state, also if nothing reads it any more.
        let state = match gates.is_ok() || self.saved.is_some() {
            true => {
                content.state = Some(state);
                None
            }
            false => Some(state),
        };
        #[cfg(test)]
        self.changed(&mut content, code, system);
        gates.map_err(|caught| {
            let why = self.panicked(&caught.message);
            content.broken.get_or_insert(why);
            Broken {
                caught,
                state,
                rest: rest.collect(),
            }
        })
    }

    /// Why it dispatches nothing any more.
    fn panicked(&self, message: &str) -> Hopeless {
        let how = format!("by code that has panicked: {message}");
        hopeless(Some(self.place), &how)
    }

    /// Code of it has panicked with this message. Returns why it dispatches nothing any more.
    pub(super) fn break_down(&self, message: &str, system: &Arc<Shared>) -> Hopeless {
        let mut content = lock(&self.content);
        if content.broken.is_none() {
            system.change_table(|code| self.changes(&mut content, code, system));
        }
        let why = self.panicked(message);
        content.broken.get_or_insert(why).clone()
    }

    /// It is lifted: no cut has it from here on.
    pub(super) fn end(&self, system: &Arc<Shared>) {
        let mut content = lock(&self.content);
        system.change_table(|code| self.changes(&mut content, code, system));
        content.is_lifted = true;
    }

    /// It lasts as long as its system.
    pub(super) fn lasts_forever(&self, system: &Arc<Shared>) {
        let mut content = lock(&self.content);
        system.change_table(|code| self.changes(&mut content, code, system));
        content.lasts = Lasts::Forever;
    }
}

/// Code of a synchronizer has panicked. What it leaves is not dropped while that panic unwinds: a
/// second panic would abort the process.
pub(super) struct Broken {
    pub(super) caught: Caught,
    /// `None`: the synchronizer keeps it.
    pub(super) state: Option<Box<dyn Any + Send>>,
    /// The updates that have not run.
    pub(super) rest: Vec<Update>,
}
