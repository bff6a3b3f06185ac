//! A list of objects to be ended: their last reference was found in a queue.

use super::handed::Handed;
use std::mem;

/// Objects to be ended. Their destructors are foreign code: they run when the running thread holds
/// no entry for another owner, and no lock. Dropping the list ends the objects.
#[derive(Default)]
pub(crate) struct Ending {
    /// Most lists have one object, which needs no allocation.
    one: Option<Handed>,
    rest: Vec<Handed>,
}

impl Ending {
    /// # Safety
    ///
    /// The reference was found to be the last one.
    pub(crate) unsafe fn push(&mut self, last: Handed) {
        if self.one.is_none() {
            self.one = Some(last);
        } else {
            self.rest.push(last);
        }
    }

    /// Turns the list into a vector without ending the objects: a later safe point or hand-over
    /// ends them.
    pub(crate) fn into_later(mut self) -> Vec<Handed> {
        let mut all = mem::take(&mut self.rest);
        all.extend(self.one.take());
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.one.is_none()
    }

    fn pop(&mut self) -> Option<Handed> {
        self.one.take().or_else(|| self.rest.pop())
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        while let Some(last) = self.pop() {
            // If the destructor panics, the others are ended during the unwinding; a second panic
            // aborts, as in a `Vec`.
            let rest = Ending {
                one: None,
                rest: mem::take(&mut self.rest),
            };
            // SAFETY: `push` requires the last reference, and `pop` has removed it from the list.
            unsafe { last.end() };
            self.rest = rest.into_later();
        }
    }
}
