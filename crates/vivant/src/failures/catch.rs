//! Catching panics of user code at the edge of a turn, with their place (T4).
//!
//! Only the panic hook learns where a panic happened, and a process has one hook. The first system
//! installs a hook that notes the place on the panicking thread and then calls the previous hook;
//! it changes nothing else in the process.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// What is known of a panic on this thread.
#[derive(Clone)]
pub(crate) struct Caught {
    pub(crate) message: String,
    /// `file:line:column`, unless a hook that the user installed later hid it.
    pub(crate) place: Option<String>,
}

thread_local! {
    /// Whether anything is noted in `LAST`. The edge of every turn reads this, so it is a plain
    /// byte.
    static NOTED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Notes the place of every panic from now on.
pub(crate) fn note_places() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let caught = Caught {
                message: message_of(info.payload()),
                place: info.location().map(ToString::to_string),
            };
            // A thread in teardown cannot note the place; it runs no turn either.
            let _ = LAST.try_with(|last| last.replace(Some(caught)));
            NOTED.set(true);
            if !info.payload().is::<Injected>() {
                before(info);
            }
        }));
    });
}

/// The payload of a panic that a simulation injects. It is expected, so the hook does not print it.
pub(crate) struct Injected;

pub(crate) fn message_of(payload: &(dyn Any + Send)) -> String {
    match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ if payload.is::<Injected>() => "a panic injected by the simulation".to_owned(),
        _ => "a panic whose payload is not text".to_owned(),
    }
}

/// Returns the last panic on this thread, while it unwinds.
pub(crate) fn take_last() -> Option<Caught> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// Runs `body`; returns a panic in it as an error.
///
/// The caller must treat what `body` worked on as ended. An actor never takes another turn after a
/// panic, so no code sees a state that the panic left half changed (this is why asserting unwind
/// safety is right).
#[inline]
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Result<R, Caught> {
    if NOTED.get() {
        return catch_another(body);
    }
    panic::catch_unwind(AssertUnwindSafe(body)).map_err(caught)
}

/// As `catch`, when a panic is noted already. A note of an earlier panic, which user code may have
/// caught itself, does not describe a later one, so it is discarded. A note of a panic that unwinds
/// now is still needed, so it is restored.
#[cold]
fn catch_another<R>(body: impl FnOnce() -> R) -> Result<R, Caught> {
    let unwinding = forget_last().filter(|_| std::thread::panicking());
    let outcome = panic::catch_unwind(AssertUnwindSafe(body)).map_err(caught);
    if let Some(panic) = unwinding {
        NOTED.set(true);
        let _ = LAST.try_with(|last| last.replace(Some(panic)));
    }
    outcome
}

/// Panics as the code has that `catch` caught.
pub(crate) fn resume(caught: Caught) -> ! {
    let message = caught.message.clone();
    let _ = LAST.try_with(|last| last.replace(Some(caught)));
    NOTED.set(true);
    panic::resume_unwind(Box::new(message))
}

#[cold]
fn forget_last() -> Option<Caught> {
    NOTED.set(false);
    // A thread in teardown has no place noted.
    LAST.try_with(RefCell::take).ok().flatten()
}

#[cold]
fn caught(payload: Box<dyn Any + Send>) -> Caught {
    let place = forget_last().and_then(|last| last.place);
    let message = message_of(&*payload);
    // A payload's own drop may panic; that must not leave the edge of the turn.
    if let Err(second) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    Caught { message, place }
}
