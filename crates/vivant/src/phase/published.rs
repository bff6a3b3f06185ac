//! The pass that a worker has published (L5).

use super::number::{Pass, PassWord};
use crate::sync::{AtomicU64, Ordering, fault, fence};

/// What one worker has published: the pass of the code that it runs, or that it runs nothing.
pub(crate) struct PublishedPass(AtomicU64);

/// The worker runs nothing. Otherwise the word is the number of a pass and one.
const NOTHING: u64 = 0;

impl PublishedPass {
    /// Of a worker that runs nothing.
    pub(crate) fn new() -> PublishedPass {
        PublishedPass(AtomicU64::new(NOTHING))
    }

    /// The worker runs something from here on. Returns the pass to run it in, unless that has a
    /// pause.
    pub(super) fn begin(&self, now: impl Fn() -> PassWord) -> PassWord {
        let mut word = now();
        loop {
            // Release: a coordinator may read this word in place of the last word of `end`.
            let release = fault!(Ordering::Release, NextRunRelaxed => Ordering::Relaxed);
            self.0.store(word.pass().number() + 1, release);
            // Pairs with the fences in `Passes::begin_pause` and `Passes::begin_next`: either the
            // coordinator finds this word, or this thread finds the new word.
            fault!(NoFenceBeforeSecondRead => {
                return word;
            });
            fence(Ordering::SeqCst);
            let again = now();
            if again == word {
                return word;
            }
            word = again;
        }
    }

    /// What the worker runs from here on is in this later pass.
    pub(crate) fn enter(&self, pass: Pass) {
        // Release: pairs with the Acquire in `has_left_before`. What this thread sent in the pass
        // before is in the mailboxes when the coordinator reads this word.
        let release = fault!(Ordering::Release, EntryRelaxed => Ordering::Relaxed);
        self.0.store(pass.number() + 1, release);
    }

    /// The worker runs nothing from here on.
    pub(crate) fn end(&self) {
        // Release: as in `enter`; pairs also with the Acquire in `runs_nothing`.
        let release = fault!(Ordering::Release, RestRelaxed => Ordering::Relaxed);
        self.0.store(NOTHING, release);
    }

    /// Whether the worker runs nothing.
    pub(crate) fn runs_nothing(&self) -> bool {
        // Acquire: pairs with the Release of `end`.
        let acquire = fault!(Ordering::Acquire, PauseRelaxed => Ordering::Relaxed);
        self.0.load(acquire) == NOTHING
    }

    /// Whether the worker has left the passes before this one.
    pub(crate) fn has_left_before(&self, pass: Pass) -> bool {
        // Acquire: pairs with the Release of `enter` and `end`.
        let word = self.0.load(Ordering::Acquire);
        word == NOTHING || word > pass.number()
    }
}
