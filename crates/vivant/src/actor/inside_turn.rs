//! The turn that runs on this thread, for errors that name it.

use super::shared::Shared;
use super::worker::{CodeOf, Worker};
use crate::failures::Inside;
use crate::message::MessageRole;
use std::cell::Cell;

impl Worker {
    /// Returns the turn that runs on this thread.
    pub(crate) fn inside() -> Option<Inside> {
        Worker::with_current(|worker| {
            worker.turn.get().map(|kind| Inside {
                actor: worker.path(),
                behaviour: kind.name,
            })
        })
        .flatten()
    }

    /// Returns the turn that runs on this thread, if code in it must not wait. A future may: its
    /// turn ends meanwhile.
    pub(crate) fn forbids_waiting() -> Option<Inside> {
        match Worker::with_current(|worker| worker.code_of.get()) {
            Some(CodeOf::Future) => None,
            Some(CodeOf::Turn) | None => Worker::inside(),
        }
    }

    /// Returns true if a stop hook of this system calls this.
    pub(crate) fn runs_stop_hook(system: &Shared) -> bool {
        let role = |worker: &Worker| worker.turn.get().map(|kind| kind.role);
        Worker::of(system, role).flatten() == Some(MessageRole::StopMark)
    }

    /// Runs the poll of a future.
    pub(crate) fn polling<R>(&self, poll: impl FnOnce() -> R) -> R {
        self.running(CodeOf::Future, poll)
    }

    /// Runs code that does not belong to the future that is polled, if one is.
    pub(super) fn not_polling<R>(code: impl FnOnce() -> R) -> R {
        Worker::with_any(|worker| match worker {
            Some(worker) => worker.running(CodeOf::Turn, code),
            None => code(),
        })
    }

    fn running<R>(&self, code_of: CodeOf, body: impl FnOnce() -> R) -> R {
        struct Restore<'a>(&'a Cell<CodeOf>, CodeOf);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let _restore = Restore(&self.code_of, self.code_of.replace(code_of));
        body()
    }
}
