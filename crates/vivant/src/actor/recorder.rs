//! What records a cut, as the holders of actors and the senders of messages see it
//! (`phase/README.md`).

use super::class::StateRef;
use super::envelope::Envelope;
use super::header::Header;
use super::reference::CellRef;
use super::restored_mark::WaitsAs;
use super::run_state::{RunState, TreeEnd};
use super::shared::Shared;
use super::shared_table::SharedTable;
use super::signals::Signals;
use super::table_entry::TableEntry;
use super::user_code::drop_foreign;
use crate::candidates::ActorKey;
use crate::failures::{Caught, catch};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use std::time::Duration;
use vivant_heap::DetachedHeap;

/// Where a message waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum WaitingPlace {
    /// Among the deferred messages.
    Deferred,
    /// In the bounded queue.
    Queue,
    /// In the inbox or the backlog.
    Inbox,
}

/// What receives the records of a cut. All its functions are called by the only thread that may
/// access the actor, or the message, at that time.
pub(crate) trait Recorder: Send + Sync {
    /// An actor is captured. Called after `captured_run_state`.
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>);

    /// The part of the runtime in the same actor.
    fn captured_run_state(&self, actor: &Header, run_state: &RunState);

    /// A message waits for `actor` in the cut. Those of one place are recorded in their order.
    /// Returns the bytes of its content.
    fn waits(
        &self,
        actor: &Header,
        place: WaitingPlace,
        waits_as: WaitsAs,
        message: &Envelope,
    ) -> usize;

    /// For so long the holder of an actor has recorded messages with these bytes of content.
    fn took(&self, actor: &Header, bytes: usize, took: Duration) {
        let _ = (actor, bytes, took);
    }

    /// User code panicked in one of these functions. The cut is void.
    fn panicked(&self, caught: Caught);

    /// The cut is given up: what it has recorded is not used. Not under a lock.
    fn forget(&self) {}

    /// A table of the system has this entry in the cut. Called under the lock of the table, if that
    /// has no code of users.
    fn entry(&self, entry: TableEntry<'_>) {
        let _ = entry;
    }

    /// The detached heap with this number is captured.
    fn captured_detached(&self, system: &Arc<Shared>, number: u64, heap: &mut DetachedHeap) {
        let _ = (system, number, heap);
    }

    /// Whether a heap of the cut is not written to its end. Turns run meanwhile.
    fn has_open_heaps(&self) -> bool {
        false
    }

    /// Such heaps.
    fn open_heaps(&self) -> Vec<OpenHeap> {
        Vec::new()
    }

    /// The cut is void: heaps need not be written to their end.
    fn give_heaps_up(&self) {}

    /// Takes the next group or topic without a name of which the cut has found a handle. The
    /// coordinator has its older entries recorded.
    fn take_found_table(&self) -> Option<Arc<dyn SharedTable>> {
        None
    }

    /// These signals wait for `actor` in the cut, after those of the last call. `end` is where its
    /// supervisor says why it stops it.
    fn is_signalled(&self, actor: &Header, end: Option<&TreeEnd>, signals: Signals);
}

/// A heap of a cut that is not written to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenHeap {
    /// Of this actor.
    OfActor(ActorKey),
    /// The detached heap with this number.
    Detached(u64),
}

/// The recorder of a cut, for the threads that record.
pub(crate) struct CutRecorder {
    recorder: Arc<dyn Recorder>,
    /// Its records are dropped from here on, also those of a thread that records many.
    is_given_up: AtomicBool,
}

/// The recorder of the cut that is being taken. Without one, its records are dropped: there is
/// none, or it has failed.
#[derive(Default)]
struct CutInProgress(Mutex<Recorders>);

#[derive(Default)]
struct Recorders {
    present: Option<Arc<CutRecorder>>,
    /// Those of earlier cuts that other threads may still have. Such a thread may have a lock, and
    /// the drop of a recorder runs code of users: so this reference is the last one.
    earlier: Vec<Arc<CutRecorder>>,
}

/// A cut begins: from here on `recorder` gets the records. Not under a lock.
pub(crate) fn set_recorder(system: &Shared, recorder: Arc<dyn Recorder>) {
    let cut: &CutInProgress = system.extensions.part();
    let is_given_up = AtomicBool::new(false);
    let present = CutRecorder {
        recorder,
        is_given_up,
    };
    lock(&cut.0).replace(Some(Arc::new(present)));
    release_recorders(system);
}

/// The cut is complete, and has all its records. Not under a lock.
pub(crate) fn end_recorder(system: &Shared) {
    let cut: &CutInProgress = system.extensions.part();
    lock(&cut.0).replace(None);
    release_recorders(system);
}

/// The cut is given up: its records are dropped from here on, and those that it has. A thread that
/// makes a record now may leave that one. Not under a lock.
pub(crate) fn give_up_recorder(system: &Shared) {
    let cut: &CutInProgress = system.extensions.part();
    let before = {
        let mut recorders = lock(&cut.0);
        let before = recorders.present.clone();
        recorders.replace(None);
        before
    };
    if let Some(before) = before {
        // Relaxed: a record too many waits until the recorder is dropped.
        before.is_given_up.store(true, Ordering::Relaxed);
        before.recorder.forget();
    }
    release_recorders(system);
}

impl Recorders {
    fn replace(&mut self, recorder: Option<Arc<CutRecorder>>) {
        let before = std::mem::replace(&mut self.present, recorder);
        self.earlier.extend(before);
    }
}

/// Drops the recorders of earlier cuts that no other thread has. Not under a lock.
pub(crate) fn release_recorders(system: &Shared) {
    let cut: &CutInProgress = system.extensions.part();
    let unused: Vec<_> = {
        let mut recorders = lock(&cut.0);
        let earlier = std::mem::take(&mut recorders.earlier).into_iter();
        // The only reference is not cloned any more.
        let (unused, used) = earlier.partition(|it| Arc::strong_count(it) == 1);
        recorders.earlier = used;
        unused
    };
    drop_foreign("the drop of what a cut has recorded", unused);
}

/// The recorder of the cut, if there is one.
pub(crate) fn recorder(system: &Shared) -> Option<Arc<CutRecorder>> {
    let cut: &CutInProgress = system.extensions.part();
    lock(&cut.0).present.clone()
}

/// Calls `body` with the recorder of the cut, if there is one.
#[cold]
pub(crate) fn record(system: &Shared, body: impl FnOnce(&dyn Recorder)) {
    if let Some(recorder) = recorder(system) {
        record_with(&recorder, system, body);
    }
}

/// Calls `body` with this recorder, unless its cut was given up. A panic in it, of user code that
/// encodes a value, makes the cut void.
pub(crate) fn record_with<R: Default>(
    recorder: &CutRecorder,
    system: &Shared,
    body: impl FnOnce(&dyn Recorder) -> R,
) -> R {
    // Relaxed: as in `give_up_recorder`.
    if recorder.is_given_up.load(Ordering::Relaxed) {
        return R::default();
    }
    let recorder = &*recorder.recorder;
    catch(|| body(recorder)).unwrap_or_else(|caught| {
        recorder.panicked(caught);
        system.passes.void();
        R::default()
    })
}

/// A message waits for `actor` in the cut, if there is one.
pub(crate) fn record_waiting(actor: &CellRef, place: WaitingPlace, message: &Envelope) {
    #[cfg(test)]
    if is_planted(InjectedFault::ReturnedUnrecorded) {
        return;
    }
    let waits_as = message.restored_mark().waits_as(&[]);
    record(&actor.system, |cut| {
        cut.waits(actor, place, waits_as, message);
    });
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::simulation::Simulation;

    /// Notes that it is dropped.
    struct Noting(Arc<AtomicBool>);

    impl Recorder for Noting {
        fn captured(&self, _: &Header, _: &mut StateRef<'_>) {}
        fn captured_run_state(&self, _: &Header, _: &RunState) {}
        fn waits(&self, _: &Header, _: WaitingPlace, _: WaitsAs, _: &Envelope) -> usize {
            0
        }
        fn panicked(&self, _: Caught) {}
        fn is_signalled(&self, _: &Header, _: Option<&TreeEnd>, _: Signals) {}
    }

    impl Drop for Noting {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_thread_that_records_does_not_drop_the_recorder() {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared();
        let is_dropped = Arc::new(AtomicBool::new(false));
        set_recorder(system, Arc::new(Noting(is_dropped.clone())));
        record(system, |_| {
            end_recorder(system);
            release_recorders(system);
        });
        assert!(
            !is_dropped.load(Ordering::Relaxed),
            "it had the last but one"
        );
        release_recorders(system);
        assert!(is_dropped.load(Ordering::Relaxed));
    }

    #[test]
    fn a_recorder_that_is_given_up_gets_no_more_records() {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared();
        let is_dropped = Arc::new(AtomicBool::new(false));
        set_recorder(system, Arc::new(Noting(is_dropped.clone())));
        let in_use = recorder(system).expect("it was set");
        let mut records = 0;
        record_with(&in_use, system, |_| records += 1);
        give_up_recorder(system);
        record_with(&in_use, system, |_| records += 1);
        assert_eq!(records, 1, "it was given up");
        drop(in_use);
        release_recorders(system);
        assert!(is_dropped.load(Ordering::Relaxed), "no other thread has it");
    }
}
