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
use crate::failures::{Caught, catch};
use crate::sync::{Arc, Mutex, lock};
use std::time::Duration;

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

    /// A table of the system has this entry in the cut. Called under the lock of the table, if that
    /// has no code of users.
    fn entry(&self, entry: TableEntry<'_>) {
        let _ = entry;
    }

    /// Takes the next group or topic without a name of which the cut has found a handle. The
    /// coordinator has its older entries recorded.
    fn take_found_table(&self) -> Option<Arc<dyn SharedTable>> {
        None
    }

    /// These signals wait for `actor` in the cut, after those of the last call. `end` is where its
    /// supervisor says why it stops it.
    fn is_signalled(&self, actor: &Header, end: Option<&TreeEnd>, signals: Signals);
}

/// The recorder of the cut that is being taken. Without one, its records are dropped: there is
/// none, or it has failed.
#[derive(Default)]
struct CutInProgress(Mutex<Recorders>);

#[derive(Default)]
struct Recorders {
    present: Option<Arc<dyn Recorder>>,
    /// Those of earlier cuts that other threads may still have. Such a thread may have a lock, and
    /// the drop of a recorder runs code of users: so this reference is the last one.
    earlier: Vec<Arc<dyn Recorder>>,
}

/// From here on `recorder` gets the records. `None`: they are dropped. Not under a lock.
pub(crate) fn set_recorder(system: &Shared, recorder: Option<Arc<dyn Recorder>>) {
    let cut: &CutInProgress = system.extensions.part();
    {
        let mut recorders = lock(&cut.0);
        let before = std::mem::replace(&mut recorders.present, recorder);
        recorders.earlier.extend(before);
    }
    release_recorders(system);
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
pub(crate) fn recorder(system: &Shared) -> Option<Arc<dyn Recorder>> {
    let cut: &CutInProgress = system.extensions.part();
    lock(&cut.0).present.clone()
}

/// Calls `body` with the recorder of the cut, if there is one.
#[cold]
pub(crate) fn record(system: &Shared, body: impl FnOnce(&dyn Recorder)) {
    if let Some(recorder) = recorder(system) {
        record_with(&*recorder, system, body);
    }
}

/// Calls `body` with this recorder. A panic in it, of user code that encodes a value, makes the cut
/// void.
pub(crate) fn record_with<R: Default>(
    recorder: &dyn Recorder,
    system: &Shared,
    body: impl FnOnce(&dyn Recorder) -> R,
) -> R {
    catch(|| body(recorder)).unwrap_or_else(|caught| {
        recorder.panicked(caught);
        system.passes.void();
        R::default()
    })
}

/// A message waits for `actor` in the cut, if there is one.
pub(crate) fn record_waiting(actor: &CellRef, place: WaitingPlace, message: &Envelope) {
    let waits_as = message.restored_mark().waits_as(&[]);
    record(&actor.system, |cut| {
        cut.waits(actor, place, waits_as, message);
    });
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::simulation::Simulation;
    use crate::sync::{AtomicBool, Ordering};

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
        set_recorder(system, Some(Arc::new(Noting(is_dropped.clone()))));
        record(system, |_| {
            set_recorder(system, None);
            release_recorders(system);
        });
        assert!(
            !is_dropped.load(Ordering::Relaxed),
            "it had the last but one"
        );
        release_recorders(system);
        assert!(is_dropped.load(Ordering::Relaxed));
    }
}
