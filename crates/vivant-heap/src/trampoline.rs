//! A trampoline for drops: the stack does not grow with the depth of users' data (H12).
//!
//! One value's drop may lead to the next one's: a region lies in a region, a message that is
//! dropped breaks a promise or sends another message. Each level would need a piece of the stack.

use crate::foreign_code::drop_panic;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};

type Waiting = Option<VecDeque<Box<dyn FnOnce()>>>;

thread_local! {
    /// The drops that wait for the running drop of this thread; none if no drop runs.
    static WAITING: RefCell<Waiting> = const { RefCell::new(None) };
}

fn next_waiting() -> Option<Box<dyn FnOnce()>> {
    WAITING.with_borrow_mut(|waiting| waiting.as_mut()?.pop_front())
}

/// The outermost call: at its end, also by a panic, it runs what waits.
struct Outermost;

impl Drop for Outermost {
    fn drop(&mut self) {
        while let Some(next) = next_waiting() {
            if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(next)) {
                drop_panic(panic);
            }
        }
        WAITING.set(None);
    }
}

/// Runs `body` with a list of its own: drops in it do not wait for a drop that has called this.
/// For code that takes long, or that runs actors.
pub fn separate_drops<R>(body: impl FnOnce() -> R) -> R {
    struct Restore(Waiting);
    impl Drop for Restore {
        fn drop(&mut self) {
            let outer = self.0.take();
            // A thread that ends has lost its list.
            let _gone = WAITING.try_with(|waiting| waiting.replace(outer));
        }
    }
    let outer = WAITING.try_with(RefCell::take).ok().flatten();
    let _restore = Restore(outer);
    body()
}

/// Runs `drops` at once. Within another such call on this thread, `drops` runs later: after what
/// that call runs, in the order of the calls. The outermost call returns when all is done.
///
/// So a destructor must not wait for the drop of another value that it has begun.
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
        let leaves_one = || {
            drop_by_trampoline(|| note(16));
            panic!("as planned");
        };
        let panics = || drop_by_trampoline(leaves_one);
        catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(ORDER.lock().unwrap().last(), Some(&16));
        drop_by_trampoline(|| {
            separate_drops(|| drop_by_trampoline(|| note(17)));
            note(18);
        });
        assert_eq!(ORDER.lock().unwrap()[16..], [17, 18]);
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
