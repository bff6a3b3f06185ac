//! Objects whose last reference was found in a queue, on the way to their end.

use super::handed::Handed;
use std::mem;

/// Objects to be ended. Their destructors are foreign code: they run when no slot and no lock is
/// held by who runs them. Dropping the list ends them.
#[derive(Default)]
pub(crate) struct Ending {
    /// Most lists have one.
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

    /// Gives up the list without ending anything: for somebody who ends them later.
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
            // If the destructor panics, the others are ended while the panic goes on; a second one
            // aborts, as in a `Vec`.
            let rest = Ending {
                one: None,
                rest: mem::take(&mut self.rest),
            };
            // SAFETY: `push` asked for it, and it is taken out once.
            unsafe { last.end() };
            self.rest = rest.into_later();
        }
    }
}
