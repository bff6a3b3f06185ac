//! User code that does not belong to the actor of this turn: a waker, or the drop of a refused
//! message or of an unwanted value.

use super::refusal::{Refusal, Why};
use super::waiting_sender::{Admission, WaitingSender};
use super::worker::Worker;
use crate::failures::{Inside, Panic, catch};
use crate::interned::Name;
use std::cell::Cell;
use std::mem::needs_drop;
use vivant_heap::__private::drop_by_trampoline;

/// Runs user code that does not belong to the actor of this turn. A panic of it is reported under
/// `what`, and has no other effect here.
pub(crate) fn run_foreign_code(what: &'static str, code: impl FnOnce()) {
    let mut code = Some(code);
    run_foreign(what, &mut || {
        if let Some(code) = code.take() {
            code();
        }
    });
}

/// As `run_foreign_code`, once for all types.
fn run_foreign(what: &'static str, code: &mut dyn FnMut()) {
    if let Err(caught) = Worker::not_polling(|| catch(code)) {
        Worker::with_current(|worker| {
            let panic = Panic::of(
                Inside {
                    actor: what.to_owned(),
                    behaviour: Name::new("-"),
                },
                caught,
            );
            worker.system.reports.panicked(&panic);
        });
    }
}

/// Drops a user's value that no turn takes. A panic of it is reported under `what`.
///
/// The drop of such a value may lead to the next one: it breaks a promise, sends a message to an
/// ended actor, or is the last reference to a topic. So it goes by the trampoline (H12).
pub(crate) fn drop_foreign<V: 'static>(what: &'static str, value: V) {
    if needs_drop::<V>() {
        drop_by_trampoline(move || run_foreign_code(what, || drop(value)));
    }
}

/// Admits a waiting sender: there is room now.
pub(crate) fn admit(sender: &WaitingSender) -> Admission {
    let (admission, waker) = sender.admitted();
    if let Some(waker) = waker {
        run_foreign_code("a waker", || waker.wake());
    }
    admission
}

/// Limit of nested drops: a message's drop may send another message, to a mailbox that is full as
/// well, and so on. Beyond this depth the content of such a message is leaked instead of dropped.
const DROPS_DEEP_MAX: u32 = 32;

thread_local! {
    /// Number of nested drops of refused messages on this thread.
    static DROPS_DEEP: Cell<u32> = const { Cell::new(0) };
}

impl Refusal {
    /// Drops the message's content: user code.
    pub(crate) fn drop_content<C: 'static>(&self, content: C) {
        if !matches!(self.why, Why::Full(_)) {
            return drop_foreign("the drop of a refused message", content);
        }
        let deep = DROPS_DEEP.get();
        DROPS_DEEP.set(deep + 1);
        run_foreign_code("the drop of a message to a full mailbox", || {
            if deep < DROPS_DEEP_MAX {
                return drop(content);
            }
            std::mem::forget(content);
            panic!(
                "the drops of {DROPS_DEEP_MAX} messages to full mailboxes each sent another one: the last is not dropped"
            );
        });
        DROPS_DEEP.set(deep);
    }
}
