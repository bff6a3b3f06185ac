//! Runs code as another owner, or as none.

use super::current::{
    Birth, Home, Identity, NO_ONE, become_other, birth_is, end, enter, has_ended, has_owner, leave,
    retire, safe_point,
};
use std::mem;

/// Runs `body` as this owner.
pub(crate) fn run_as<R>(home: &mut Home, body: impl FnOnce() -> R) -> R {
    /// Restores the thread's previous owner.
    struct Entered<'a> {
        home: &'a mut Home,
        before: Identity,
    }
    impl Drop for Entered<'_> {
        fn drop(&mut self) {
            // If a destructor panics, the panic propagates after the thread's identity is restored.
            let _back = Back(self.home, self.before);
            safe_point();
        }
    }
    struct Back<'a>(&'a mut Home, Identity);
    impl Drop for Back<'_> {
        fn drop(&mut self) {
            *self.0 = become_other(self.1).home;
            leave(*self.0);
        }
    }

    enter(*home);
    let before = become_other(Identity {
        home: *home,
        birth: Birth::Begins,
    });
    let _entered = Entered { home, before };
    body()
}

/// Runs `body` as no owner. Meanwhile, other threads hold the slot of this thread's owner when
/// there is something to merge.
pub(crate) fn detached<R>(body: impl FnOnce() -> R) -> R {
    /// Restores the thread's owner.
    struct Detached(Identity);
    impl Drop for Detached {
        fn drop(&mut self) {
            enter(self.0.home);
            // Usually none. An `Executor` that `body` has left behind may have made an owner, which
            // no run would resume.
            retire(become_other(self.0).home);
        }
    }

    safe_point();
    let detached = Detached(become_other(NO_ONE));
    leave(detached.0.home);
    body()
}

/// From now on this thread runs actors or tasks with owners of their own. Returns the thread's
/// previous identity.
pub(crate) fn executes() -> Before {
    Before(become_other(Identity {
        home: Home::new(),
        birth: Birth::Begins,
    }))
}

/// The identity of a thread before it became an executor. Dropping it restores that identity.
pub(crate) struct Before(Identity);

impl Drop for Before {
    fn drop(&mut self) {
        let left = become_other(self.0);
        retire(left.home);
        if has_ended() {
            // The destructor of `THREAD` ran while the thread was an executor: this is the drop of
            // another thread-local value.
            retire(become_other(NO_ONE).home);
        }
    }
}

/// A run of this owner begins, on an executor thread.
#[inline]
pub(crate) fn run_begins(home: Home) {
    if has_owner() {
        // The owner of an earlier run that was not ended, or of an object made between two runs: no
        // run would resume it.
        end(run_ends());
    }
    if home.id().is_some() {
        assert!(executing(), "only a thread with an `Executor` begins runs");
        enter(home);
        become_other(Identity {
            home,
            birth: Birth::Begins,
        });
    }
}

/// The run ends. Returns its owner.
#[inline]
pub(crate) fn run_ends() -> Home {
    if !has_owner() {
        return Home::new();
    }
    owner_ends_run()
}

/// Returns true if the thread is an executor.
fn executing() -> bool {
    birth_is(Birth::Begins)
}

#[inline(never)]
fn owner_ends_run() -> Home {
    /// A destructor has panicked, so the caller will not get the owner: it retires.
    struct Lost;
    impl Drop for Lost {
        fn drop(&mut self) {
            retire(leave_run());
        }
    }
    fn leave_run() -> Home {
        let identity = Identity {
            home: Home::new(),
            birth: Birth::Begins,
        };
        become_other(identity).home
    }

    if !executing() {
        return Home::new();
    }
    let lost = Lost;
    safe_point();
    mem::forget(lost);
    let home = leave_run();
    leave(home);
    home
}
