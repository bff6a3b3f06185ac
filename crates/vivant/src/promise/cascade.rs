//! Cascades: settling one promise may settle the next, refuse a message, break another promise, and so on for as long
//! as the user's data is deep. The stack must not be as deep as that (H12).
//!
//! So only the first few levels nest; what comes deeper waits for the outermost level, which runs it before it returns.
//! Whoever settles a promise therefore still finds everything settled that followed from it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

/// Levels that nest: enough that ordinary programs never allocate for it, few enough for a small stack.
const NESTED_MAX: u32 = 16;

type Step = Box<dyn FnOnce()>;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<VecDeque<Step>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs `step`, now or when the levels above have returned; in either case before the outermost call returns.
pub(super) fn cascade(step: impl FnOnce() + 'static) {
    // A thread that is being torn down has no place to count in; what nests there is what its destructors hold.
    match DEPTH.try_with(Cell::get) {
        Ok(0) => outermost(step),
        Ok(depth) if depth < NESTED_MAX => nested(depth, step),
        Ok(_) => WAITING.with(|waiting| waiting.borrow_mut().push_back(Box::new(step))),
        Err(_) => step(),
    }
}

fn nested(depth: u32, step: impl FnOnce()) {
    struct Back(u32);
    impl Drop for Back {
        fn drop(&mut self) {
            let _ = DEPTH.try_with(|depth| depth.set(self.0));
        }
    }
    let _back = Back(depth);
    let _ = DEPTH.try_with(|counted| counted.set(depth + 1));
    step();
}

/// The drop of a value that is settled is user code: if it panics, the rest is settled all the same.
fn outermost(step: impl FnOnce()) {
    let mut first = panic::catch_unwind(AssertUnwindSafe(|| nested(0, step))).err();
    while let Some(step) = WAITING
        .try_with(|waiting| waiting.borrow_mut().pop_front())
        .ok()
        .flatten()
    {
        if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| nested(0, step))) {
            first.get_or_insert(payload);
        }
    }
    match first {
        // While another panic unwinds, a second one would abort the process.
        Some(payload) if !thread::panicking() => panic::resume_unwind(payload),
        _ => {}
    }
}
