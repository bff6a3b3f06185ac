//! How a reference to an actor is saved: as the number of the actor.

use super::header::Header;
use super::reference::CellRef;
use super::scope::Scope;
use super::shared::Shared;
use super::shared_table::{SharedTable, TableName};
use crate::phase::Phase;
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use vivant_codec::{Decoder, Encoder, LoadError, Saved};

/// The actors to which saved references lead, as far as an image lacks them: they have ended, or
/// are not saved. Also what else a cut has to know of the values in it. The context of an encoder.
pub(crate) struct SeenActors {
    /// The system that is saved.
    system: Arc<Shared>,
    /// The phase that the line of the cut begins.
    line: Phase,
    /// The time of which the values are.
    at_ns: u64,
    scope: Scope,
    seen: RefCell<BTreeMap<u64, CellRef>>,
    references: RefCell<References>,
}

/// To what saved handles lead, besides actors.
#[derive(Default)]
pub(crate) struct References {
    /// Subscriptions: the name of the topic, and the number.
    pub(crate) subscriptions: Vec<(TableName, u64)>,
    /// Groups and topics without a name, by their numbers.
    pub(crate) tables: Vec<(u64, Arc<dyn SharedTable>)>,
    /// Synchronizers, by their numbers.
    pub(crate) synchronizers: Vec<u64>,
    /// No group or topic that is named has this number or a higher one.
    pub(crate) next_table: u64,
}

impl References {
    pub(crate) fn is_empty(&self) -> bool {
        // A handle has a number.
        self.subscriptions.is_empty() && self.synchronizers.is_empty() && self.next_table == 0
    }
}

impl SeenActors {
    /// For values of this system, in an image of this scope.
    pub(crate) fn of(system: &Arc<Shared>, scope: Scope) -> SeenActors {
        SeenActors {
            system: system.clone(),
            line: system.passes.now().phase(),
            at_ns: system.oracle.now_ns(),
            scope,
            seen: RefCell::default(),
            references: RefCell::default(),
        }
    }

    /// For values as they were at this time.
    pub(crate) fn at(self, at_ns: u64) -> SeenActors {
        SeenActors { at_ns, ..self }
    }

    /// So many nanoseconds have passed since the time of which the value is.
    pub(crate) fn late_ns(out: &Encoder<'_>) -> u64 {
        let seen: Option<&SeenActors> = out.context();
        seen.map_or(0, |seen| {
            seen.system.oracle.now_ns().saturating_sub(seen.at_ns)
        })
    }

    /// The phase that the line of the cut begins. `None`: the value is encoded for no cut.
    pub(crate) fn line(out: &Encoder<'_>) -> Option<Phase> {
        let seen: Option<&SeenActors> = out.context();
        seen.map(|seen| seen.line)
    }

    /// The system that is saved. `None`: the value is encoded for no cut.
    pub(crate) fn system<'o>(out: &'o Encoder<'_>) -> Option<&'o Shared> {
        let seen: Option<&SeenActors> = out.context();
        seen.map(|seen| &*seen.system)
    }

    /// The handle of a subscription is saved.
    pub(crate) fn note_subscription(topic: &TableName, number: u64, out: &Encoder<'_>) {
        if let Some(SeenActors { references, .. }) = out.context() {
            let subscriptions = &mut references.borrow_mut().subscriptions;
            subscriptions.push((topic.clone(), number));
        }
    }

    /// A value is saved that has the number of this group or topic.
    pub(crate) fn note_number(number: u64, out: &Encoder<'_>) {
        if let Some(SeenActors { references, .. }) = out.context() {
            let mut references = references.borrow_mut();
            references.next_table = references.next_table.max(number + 1);
        }
    }

    /// The handle of a group or a topic that has this number is saved.
    pub(crate) fn note_table(number: u64, table: Arc<dyn SharedTable>, out: &Encoder<'_>) {
        if let Some(SeenActors { references, .. }) = out.context() {
            references.borrow_mut().tables.push((number, table));
        }
    }

    pub(crate) fn take_references(&self) -> References {
        self.references.take()
    }

    /// The handle of a synchronizer is saved.
    pub(crate) fn note_synchronizer(number: u64, out: &Encoder<'_>) {
        if let Some(SeenActors { references, .. }) = out.context() {
            references.borrow_mut().synchronizers.push(number);
        }
    }

    /// Whether a system is another one than that of which a value is saved.
    pub(crate) fn is_elsewhere(system: u64, out: &Encoder<'_>) -> bool {
        let seen: Option<&SeenActors> = out.context();
        seen.is_some_and(|seen| seen.system.number != system)
    }

    pub(crate) fn into_cells(self) -> impl Iterator<Item = CellRef> {
        self.seen.into_inner().into_values()
    }

    /// A reference to this actor is saved.
    pub(crate) fn note(to: &Header, cell: impl FnOnce() -> CellRef, out: &mut Encoder<'_>) {
        if SeenActors::is_elsewhere(to.system.number, out) {
            return out.error(format!(
                "a reference to {}, an actor of another system: keep its name, and look it up",
                to.path()
            ));
        }
        if let Some(SeenActors { seen, scope, .. }) = out.context()
            && (to.ended().is_some() || !scope.is_saved(to))
        {
            seen.borrow_mut().entry(to.id).or_insert_with(cell);
        }
    }
}

/// The number of the actor for which a message is being loaded. The context of a decoder.
#[derive(Default)]
pub(crate) struct Receiver(pub(crate) Cell<u64>);

/// The actors of a restore by their numbers. The context of a decoder.
pub(crate) struct CellsById(pub(crate) Box<dyn Fn(u64) -> Option<CellRef>>);

/// Saves a weak reference, as the number of its actor.
pub(super) fn save_cell(cell: &CellRef, out: &mut Encoder<'_>) {
    SeenActors::note(cell, || cell.clone(), out);
    cell.id.save(out);
}

pub(super) fn load_cell(id: u64, input: &Decoder<'_, '_>) -> Result<CellRef, LoadError> {
    let Some(CellsById(cells)) = input.context() else {
        return Err(input.error("a reference to an actor, which only a restore can find"));
    };
    cells(id).ok_or_else(|| input.error("a reference to an actor that the file does not have"))
}
