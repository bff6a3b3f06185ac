//! A declared synchronizer: its state, and the user code that reads and changes it.

use super::offer::GateState;
use crate::actor::{AddressRef, Pattern, Update};
use crate::failures::{Caught, catch};
use crate::interned::Place;
use crate::sync::{Mutex, lock};
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
}

pub(super) struct Declared {
    pub(super) number: u64,
    pub(super) place: Place,
    conditions: Vec<Condition>,
    /// Taken out by the transaction that occupies the synchronizer, while user code runs (S3).
    state: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Declared {
    pub(super) fn new(
        number: u64,
        place: Place,
        conditions: Vec<Condition>,
        state: Box<dyn Any + Send>,
    ) -> Declared {
        Declared {
            number,
            place,
            conditions,
            state: Mutex::new(Some(state)),
        }
    }

    /// Returns the states of the gates. A panic of a condition passes through.
    pub(super) fn gates(&self) -> Vec<GateState> {
        let Some(state) = lock(&self.state).take() else {
            return Vec::new();
        };
        let gates = self.gates_of(&*state);
        *lock(&self.state) = Some(state);
        gates
    }

    fn gates_of(&self, state: &dyn Any) -> Vec<GateState> {
        let gate = |condition: &Condition| match condition(state) {
            true => GateState::Shut,
            false => GateState::Open,
        };
        self.conditions.iter().map(gate).collect()
    }

    /// Changes the state, and returns the states of the gates after that.
    pub(super) fn update(&self, updates: Vec<Update>) -> Result<Vec<GateState>, Broken> {
        let Some(mut state) = lock(&self.state).take() else {
            return Ok(Vec::new());
        };
        let mut rest = updates.into_iter();
        let gates = catch(|| {
            for update in rest.by_ref() {
                update(&mut *state);
            }
            self.gates_of(&*state)
        });
        match gates {
            Ok(gates) => {
                *lock(&self.state) = Some(state);
                Ok(gates)
            }
            Err(caught) => Err(Broken {
                caught,
                state,
                rest: rest.collect(),
            }),
        }
    }
}

/// Code of a synchronizer has panicked. What it leaves is not dropped while that panic unwinds: a
/// second panic would abort the process.
pub(super) struct Broken {
    pub(super) caught: Caught,
    pub(super) state: Box<dyn Any + Send>,
    /// The updates that have not run.
    pub(super) rest: Vec<Update>,
}
