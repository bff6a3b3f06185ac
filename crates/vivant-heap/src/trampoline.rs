//! A trampoline for drops: the stack does not grow with the depth of users' data (H12).
//!
//! One value's drop may lead to the next one's: a region lies in a region, a message that is
//! dropped breaks a promise or sends another message. Each level would need a piece of the stack.

use std::cell::RefCell;
use std::collections::VecDeque;

thread_local! {
    /// The drops that wait for the running drop of this thread; none if no drop runs.
    static WAITING: RefCell<Option<VecDeque<Box<dyn FnOnce()>>>> = const { RefCell::new(None) };
}

/// Takes the list away at the end, also after a panic.
struct Outermost;

impl Drop for Outermost {
    fn drop(&mut self) {
        let left = WAITING.take();
        drop(left);
    }
}

/// Runs `drops` at once. Within another such call on this thread, `drops` runs later: after what
/// that call runs, in the order of the calls. The outermost call returns when all is done.
///
/// Costs an allocation within another call, and else two accesses to a thread-local variable.
pub fn drop_by_trampoline(drops: impl FnOnce() + 'static) {
    match WAITING.try_with(|waiting| waiting.borrow().is_some()) {
        Ok(true) => WAITING.with_borrow_mut(|waiting| {
            waiting.get_or_insert_default().push_back(Box::new(drops));
        }),
        Ok(false) => {
            WAITING.set(Some(VecDeque::new()));
            let _outermost = Outermost;
            drops();
            while let Some(next) = WAITING.with_borrow_mut(|waiting| waiting.as_mut()?.pop_front())
            {
                next();
            }
        }
        // The thread ends, and has lost its list.
        Err(_) => drops(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    static ORDER: Mutex<Vec<u32>> = Mutex::new(Vec::new());

    fn note(number: u32) {
        ORDER.lock().unwrap().push(number);
    }

    /// Leads to two others, and ends after it has.
    fn splits(number: u32) {
        if number < 8 {
            drop_by_trampoline(move || splits(2 * number));
            drop_by_trampoline(move || splits(2 * number + 1));
        }
        note(number);
    }

    #[test]
    fn drops_run_in_the_order_of_the_calls_and_after_a_panic() {
        drop_by_trampoline(|| splits(1));
        assert_eq!(*ORDER.lock().unwrap(), (1..16).collect::<Vec<_>>());
        let panics = || drop_by_trampoline(|| panic!("as planned"));
        catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        drop_by_trampoline(|| note(16));
        assert_eq!(ORDER.lock().unwrap().last(), Some(&16));
    }

    fn goes_down(left: u32) {
        if let Some(left) = left.checked_sub(1) {
            drop_by_trampoline(move || goes_down(left));
        }
    }

    #[test]
    fn depth_needs_no_stack() {
        goes_down(if cfg!(miri) { 100 } else { 1_000_000 });
    }
}
