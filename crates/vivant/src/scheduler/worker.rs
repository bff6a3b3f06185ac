//! The context in which turns run: one for each worker thread, one for a simulation.

use super::seat::Seat;
use crate::cell::{AddressRef, CellRef};
use crate::error::Inside;
use crate::mailbox::Head;
use crate::sync::Arc;
use crate::system::Shared;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Worker>>> = const { RefCell::new(None) };
}

/// What the code of a turn reaches the runtime through. Never leaves its thread.
pub(crate) struct Worker {
    pub(crate) system: Arc<Shared>,
    seat: Option<Arc<Seat>>,
    /// The actor that this worker holds.
    held: RefCell<Option<CellRef>>,
    turn: Cell<TurnState>,
    stop: Cell<bool>,
    overloaded: RefCell<Option<CellRef>>,
}

#[derive(Clone, Copy)]
enum TurnState {
    /// No user code runs, or only a guard or a drop outside any turn.
    Between,
    In(&'static str),
}

impl Worker {
    pub(crate) fn new(system: Arc<Shared>, seat: Option<Arc<Seat>>) -> Rc<Worker> {
        Rc::new(Worker {
            system,
            seat,
            held: RefCell::new(None),
            turn: Cell::new(TurnState::Between),
            stop: Cell::new(false),
            overloaded: RefCell::new(None),
        })
    }

    /// Makes `worker` this thread's, while `body` runs. Nests: a simulation may be driven from another system's turn.
    pub(crate) fn enter<R>(worker: &Rc<Worker>, body: impl FnOnce(&Worker) -> R) -> R {
        struct Restore(Option<Rc<Worker>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                let before = self.0.take();
                let _ = CURRENT.try_with(|current| current.replace(before));
            }
        }
        // A thread that is being torn down has no place for it: its turns then send as from outside.
        let before = CURRENT.try_with(|current| current.replace(Some(worker.clone())));
        let _restore = Restore(before.ok().flatten());
        body(worker)
    }

    /// Calls `body` with this thread's worker, if it is one.
    pub(crate) fn with_current<R>(body: impl FnOnce(&Worker) -> R) -> Option<R> {
        let worker = CURRENT
            .try_with(|current| current.borrow().clone())
            .ok()
            .flatten()?;
        Some(body(&worker))
    }

    /// Calls `body` with this thread's worker if it is one of `system`.
    pub(crate) fn of<R>(system: &Arc<Shared>, body: impl FnOnce(&Worker) -> R) -> Option<R> {
        Worker::with_current(|worker| Arc::ptr_eq(&worker.system, system).then(|| body(worker)))
            .flatten()
    }

    /// The turn that runs on this thread, for errors that name it.
    pub(crate) fn inside() -> Option<Inside> {
        Worker::with_current(|worker| match worker.turn.get() {
            TurnState::Between => None,
            TurnState::In(behaviour) => Some(Inside {
                actor: worker.held_path(),
                behaviour,
            }),
        })
        .flatten()
    }

    /// Whether user code of a turn is running.
    pub(crate) fn inside_turn(&self) -> bool {
        matches!(self.turn.get(), TurnState::In(_))
    }

    fn held_path(&self) -> String {
        self.held
            .borrow()
            .as_ref()
            .map_or_else(|| "-".to_owned(), |cell| cell.path())
    }

    pub(crate) fn holds(&self, cell: &CellRef) {
        self.held.replace(Some(cell.clone()));
    }

    pub(crate) fn holds_nothing(&self) {
        self.held.replace(None);
    }

    /// The actor whose turn runs.
    ///
    /// # Panics
    ///
    /// Between turns; a `Turn` exists only within one.
    pub(crate) fn me(&self) -> CellRef {
        self.held
            .borrow()
            .clone()
            .expect("a turn runs only while its actor is held")
    }

    /// Whether this worker holds the actor with this id, of this system.
    pub(crate) fn holds_actor(&self, system: &Arc<Shared>, id: u64) -> bool {
        Arc::ptr_eq(&self.system, system)
            && self
                .held
                .borrow()
                .as_ref()
                .is_some_and(|cell| cell.id == id)
    }

    pub(crate) fn turn_begins(&self, head: &Head) {
        self.begins(head.kind.name);
    }

    pub(crate) fn hook_begins(&self) {
        self.begins("the end of the actor");
    }

    fn begins(&self, behaviour: &'static str) {
        self.turn.set(TurnState::In(behaviour));
        if let (Some(seat), Some(cell)) = (&self.seat, &*self.held.borrow()) {
            seat.watch.begins(self.system.oracle.coarse_ms(), cell.id);
        }
    }

    pub(crate) fn turn_ends(&self) {
        self.turn.set(TurnState::Between);
        if let Some(seat) = &self.seat {
            seat.watch.ends();
        }
    }

    /// The behaviour whose turn runs, or `-`.
    pub(crate) fn behaviour(&self) -> &'static str {
        match self.turn.get() {
            TurnState::In(behaviour) => behaviour,
            TurnState::Between => "-",
        }
    }

    /// The turn asked for its actor's end.
    pub(crate) fn ask_stop(&self) {
        self.stop.set(true);
    }

    pub(crate) fn wants_stop(&self) -> bool {
        self.stop.take()
    }

    /// The turn sent to an actor whose mailbox is too long: noted, and acted on when the turn has ended.
    pub(crate) fn sent_to_overloaded(&self, receiver: &AddressRef) {
        let other = self
            .held
            .borrow()
            .as_ref()
            .is_some_and(|me| me.id != receiver.id);
        if self.inside_turn() && other && Arc::ptr_eq(&self.system, &receiver.system) {
            self.overloaded
                .borrow_mut()
                .get_or_insert_with(|| receiver.cell());
        }
    }

    pub(crate) fn take_overloaded(&self) -> Option<CellRef> {
        self.overloaded.take()
    }

    pub(super) fn seat(&self) -> Option<&Arc<Seat>> {
        self.seat.as_ref()
    }
}
