//! Being another owner, or none, for as long as something runs.

use super::current::{CURRENT, Home, NO_OWNER, Otherwise, enter, leave, retire, safe_point};
use std::ptr;

/// Runs `body` as the owner whose home this is.
pub(crate) fn run_as<R>(home: &Home, body: impl FnOnce() -> R) -> R {
    let id = home.id();
    if let Some(id) = id {
        enter(id);
    }
    let _back = Entered(become_other(Identity {
        me: id.unwrap_or(NO_OWNER),
        home,
        otherwise: Otherwise::TakeId,
    }));
    body()
}

/// Runs `body` as no owner: meanwhile others are the owner that this thread was, when there is something to merge.
pub(crate) fn detached<R>(body: impl FnOnce() -> R) -> R {
    safe_point();
    let back = Detached(become_other(Identity {
        me: NO_OWNER,
        home: ptr::null(),
        otherwise: Otherwise::Merged,
    }));
    leave(back.0.me);
    body()
}

/// Ends an owner that nobody is.
pub(crate) fn end(home: &Home) {
    if let Some(id) = home.id() {
        enter(id);
        retire(id, home);
    }
}

/// What a thread is with regard to owners.
struct Identity {
    me: u32,
    home: *const Home,
    otherwise: Otherwise,
}

/// Exchanges what this thread is for something else.
fn become_other(new: Identity) -> Identity {
    CURRENT.with(|current| Identity {
        me: current.me.replace(new.me),
        home: current.home.replace(new.home),
        otherwise: current.otherwise.replace(new.otherwise),
    })
}

/// The thread was another owner, and will be it again.
struct Entered(Identity);

impl Drop for Entered {
    fn drop(&mut self) {
        // A panic of a destructor here goes on when the thread is what it was.
        let _back = Back(&self.0);
        safe_point();
    }
}

struct Back<'a>(&'a Identity);

impl Drop for Back<'_> {
    fn drop(&mut self) {
        let Identity {
            me,
            home,
            otherwise,
        } = *self.0;
        let left = become_other(Identity {
            me,
            home,
            otherwise,
        });
        leave(left.me);
    }
}

/// The thread was an owner, and will be it again.
struct Detached(Identity);

impl Drop for Detached {
    fn drop(&mut self) {
        let Identity {
            me,
            home,
            otherwise,
        } = self.0;
        if me != NO_OWNER {
            enter(me);
        }
        become_other(Identity {
            me,
            home,
            otherwise,
        });
    }
}
