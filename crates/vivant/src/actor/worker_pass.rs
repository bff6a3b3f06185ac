//! The pass of the code that a worker runs (L2, L3, L5).

use crate::phase::{Pass, PassMark, Passes, Phase, PublishedPass, Stamp};
use crate::sync::Arc;
use std::cell::{Cell, OnceCell};

/// The pass of what a worker runs.
pub(super) struct WorkerPass {
    pass: Cell<Pass>,
    /// Its low bits.
    mark: Cell<PassMark>,
    /// The phase of what it sends: that of the pass, or a later one (news from behind the line).
    phase: Cell<Phase>,
    /// Its low bits.
    stamp: Cell<Stamp>,
    /// Of a worker with a thread of its own. A simulation runs on the thread of its coordinator.
    published: OnceCell<Arc<PublishedPass>>,
}

impl WorkerPass {
    pub(super) fn new(passes: &Passes) -> WorkerPass {
        let pass = passes.now();
        WorkerPass {
            pass: Cell::new(pass),
            mark: Cell::new(pass.mark()),
            phase: Cell::new(pass.phase()),
            stamp: Cell::new(pass.phase().stamp()),
            published: OnceCell::new(),
        }
    }

    #[inline]
    pub(super) fn pass(&self) -> Pass {
        self.pass.get()
    }

    #[inline]
    pub(super) fn mark(&self) -> PassMark {
        self.mark.get()
    }

    /// The phase of what is sent now (L3).
    #[inline]
    pub(super) fn phase(&self) -> Phase {
        self.phase.get()
    }

    #[inline]
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp.get()
    }

    /// Enters the pass of the system, and returns it.
    #[inline]
    pub(super) fn enter(&self, passes: &Passes) -> Pass {
        let now = passes.now();
        if now != self.pass.get() {
            self.enter_newer(now);
        }
        now
    }

    /// Between two turns: enters the pass of the system, and waits while no turn may begin (L11).
    #[inline]
    pub(super) fn between_turns(&self, passes: &Passes) {
        if !passes.goes_on(self.pass.get()) {
            self.enter_or_wait(passes);
        }
    }

    #[cold]
    fn enter_or_wait(&self, passes: &Passes) {
        let _pass = self.enter(passes);
        if passes.is_pausing() {
            // To wait for what has to be done before the worker runs something: the pause.
            self.waits(passes, || ());
        }
    }

    #[cold]
    fn enter_newer(&self, now: Pass) {
        if let Some(published) = self.published.get() {
            published.enter(now);
        }
        self.set(now);
    }

    fn set(&self, pass: Pass) {
        self.pass.set(pass);
        self.mark.set(pass.mark());
        self.set_phase(pass.phase());
    }

    fn set_phase(&self, phase: Phase) {
        self.phase.set(phase);
        self.stamp.set(phase.stamp());
    }

    /// What `body` sends is of this phase, if that is later than the one before.
    pub(super) fn with_news_of<R>(&self, phase: Phase, body: impl FnOnce() -> R) -> R {
        struct Restore<'p>(&'p WorkerPass, Phase);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.set_phase(self.1);
            }
        }
        let before = self.phase.get();
        self.set_phase(before.max(phase));
        let _restore = Restore(self, before);
        body()
    }

    /// The thread of the worker publishes its pass while `body` runs.
    pub(super) fn published<R>(&self, passes: &Passes, body: impl FnOnce() -> R) -> R {
        struct Leave<'p>(&'p Passes, &'p Arc<PublishedPass>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.1.end();
                self.0.leave(self.1);
            }
        }
        let published = self.published.get_or_init(|| passes.join());
        let _leave = Leave(passes, published);
        self.set(passes.begin(published));
        body()
    }

    /// The thread runs nothing while `body` runs.
    pub(super) fn waits<R>(&self, passes: &Passes, body: impl FnOnce() -> R) -> R {
        let Some(published) = self.published.get() else {
            return body();
        };
        published.end();
        let done = body();
        self.set(passes.begin(published));
        done
    }
}
