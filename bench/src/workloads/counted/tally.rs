//! The programs with a pointer that counts its operations. It is not timed.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

#[path = "programs/mod.rs"]
pub(super) mod programs;

use Tally as Ptr;

/// The operations of a program on its pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    /// Objects that were made.
    pub(super) objects: u64,
    /// Counts that went up or down; down to nothing too.
    pub(super) ops: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { objects: 0, ops: 0 }) };
}

fn count(objects: u64, ops: u64) {
    COUNTS.with(|cell| {
        let before = cell.get();
        cell.set(Counts {
            objects: before.objects + objects,
            ops: before.ops + ops,
        });
    });
}

/// The result of `work`, and the operations on this thread meanwhile.
pub(super) fn counted<T>(work: impl FnOnce() -> T) -> (T, Counts) {
    COUNTS.set(Counts::default());
    let result = work();
    (result, COUNTS.get())
}

/// A pointer that counts.
#[derive(Debug)]
pub(super) struct Tally<T: ?Sized>(Rc<T>);

impl<T> Tally<T> {
    pub(super) fn new(value: T) -> Tally<T> {
        count(1, 0);
        Tally(Rc::new(value))
    }

    pub(super) fn get_mut(this: &mut Tally<T>) -> Option<&mut T> {
        Rc::get_mut(&mut this.0)
    }
}

impl From<&str> for Tally<str> {
    fn from(text: &str) -> Tally<str> {
        count(1, 0);
        Tally(text.into())
    }
}

impl<T: ?Sized> Clone for Tally<T> {
    fn clone(&self) -> Tally<T> {
        count(0, 1);
        Tally(self.0.clone())
    }
}

impl<T: ?Sized> Drop for Tally<T> {
    fn drop(&mut self) {
        count(0, 1);
    }
}

impl<T: ?Sized> Deref for Tally<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_and_two_ends_are_three_operations() {
        let (text, counts) = counted(|| {
            let text = Tally::<str>::from("a");
            str::to_owned(&text.clone())
        });
        assert_eq!(text, "a");
        assert_eq!((counts.objects, counts.ops), (1, 3));
    }
}
