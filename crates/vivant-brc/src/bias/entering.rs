//! Runs code as another owner, or as none.

use super::current::{
    Birth, Identity, NON_OWNER, ParkedOwner, end, enter, has_birth, has_ended, has_owner, leave,
    replace_identity, retire, safe_point,
};
use std::mem;

/// Runs `body` as this owner.
pub(crate) fn run_as<R>(home: &mut ParkedOwner, body: impl FnOnce() -> R) -> R {
    /// Restores the thread's previous owner.
    struct Entered<'a> {
        home: &'a mut ParkedOwner,
        before: Identity,
    }
    impl Drop for Entered<'_> {
        fn drop(&mut self) {
            // If a destructor panics, the panic propagates after the thread's identity is restored.
            let _restore = RestoreIdentity(self.home, self.before);
            safe_point();
        }
    }
    struct RestoreIdentity<'a>(&'a mut ParkedOwner, Identity);
    impl Drop for RestoreIdentity<'_> {
        fn drop(&mut self) {
            *self.0 = replace_identity(self.1).home;
            leave(*self.0);
        }
    }

    enter(*home);
    let before = replace_identity(Identity {
        home: *home,
        birth: Birth::Begins,
    });
    let _entered = Entered { home, before };
    body()
}

/// Runs `body` as no owner. Meanwhile, other threads hold the entry of this thread's owner when
/// there is something to merge.
pub(crate) fn detached<R>(body: impl FnOnce() -> R) -> R {
    /// Restores the thread's owner.
    struct Detached(Identity);
    impl Drop for Detached {
        fn drop(&mut self) {
            enter(self.0.home);
            // Usually none. An `Executor` that `body` has left behind may have made an owner, which
            // no run would resume.
            retire(replace_identity(self.0).home);
        }
    }

    safe_point();
    let detached = Detached(replace_identity(NON_OWNER));
    leave(detached.0.home);
    body()
}

/// From now on this thread runs actors or tasks with owners of their own. Returns the thread's
/// previous identity.
pub(crate) fn become_executor() -> PreviousIdentity {
    PreviousIdentity(replace_identity(Identity {
        home: ParkedOwner::new(),
        birth: Birth::Begins,
    }))
}

/// The identity of a thread before it became an executor. Dropping it restores that identity.
pub(crate) struct PreviousIdentity(Identity);

impl Drop for PreviousIdentity {
    fn drop(&mut self) {
        let left = replace_identity(self.0);
        retire(left.home);
        if has_ended() {
            // The destructor of `THREAD` ran while the thread was an executor: this is the drop of
            // another thread-local value.
            retire(replace_identity(NON_OWNER).home);
        }
    }
}

/// A run of this owner begins, on an executor thread.
#[inline]
pub(crate) fn begin_run(home: ParkedOwner) {
    if has_owner() {
        // The owner of an earlier run that was not ended, or of an object made between two runs: no
        // run would resume it.
        end(end_run());
    }
    if home.id().is_some() {
        assert!(
            is_executor(),
            "only a thread with an `Executor` begins runs"
        );
        enter(home);
        replace_identity(Identity {
            home,
            birth: Birth::Begins,
        });
    }
}

/// The run ends. Returns its owner.
#[inline]
pub(crate) fn end_run() -> ParkedOwner {
    if !has_owner() {
        return ParkedOwner::new();
    }
    end_owner_run()
}

/// Returns true if the thread is an executor.
fn is_executor() -> bool {
    has_birth(Birth::Begins)
}

#[inline(never)]
fn end_owner_run() -> ParkedOwner {
    /// A destructor has panicked, so the caller will not get the owner: it retires.
    struct RetireOnPanic;
    impl Drop for RetireOnPanic {
        fn drop(&mut self) {
            retire(stop_being_owner());
        }
    }
    fn stop_being_owner() -> ParkedOwner {
        let identity = Identity {
            home: ParkedOwner::new(),
            birth: Birth::Begins,
        };
        replace_identity(identity).home
    }

    if !is_executor() {
        return ParkedOwner::new();
    }
    let guard = RetireOnPanic;
    safe_point();
    mem::forget(guard);
    let home = stop_being_owner();
    leave(home);
    home
}
