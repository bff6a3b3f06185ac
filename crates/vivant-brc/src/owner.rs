//! Owners: logical threads.

use crate::bias::current::{self, Home};
use crate::bias::entering;
use std::fmt;

/// A logical thread, to which objects can belong: an actor, a task, a fibre.
///
/// A thread of the operating system is an owner by itself, from its first [`Brc`](crate::Brc) to its end. Whoever runs other
/// things on threads makes an `Owner` for each, and [runs](Owner::run) each thing's code as its owner, on whatever thread
/// that is: all objects that it makes are then its own, for which it counts without atomics, and what others hand
/// over to it is merged when it next leaves.
///
/// Eight bytes. An id is taken at the first object, and is given back when no object names it any more. While no thread
/// runs an owner, and after it was dropped, whoever drops the last reference but the owner's does its part.
///
/// ```
/// use vivant_brc::{Brc, Owner};
/// # use std::thread;
///
/// let mut actor = Owner::new();
/// let text = actor.run(|| Brc::<str>::from("mine"));
/// // On another thread it is the same owner.
/// let (actor, text) = thread::spawn(move || {
///     let other = actor.run(|| text.clone()); // no atomic
///     drop(other);                            // one
///     (actor, text)
/// })
/// .join()
/// .unwrap();
/// # drop((actor, text));
/// ```
pub struct Owner {
    home: Home,
}

impl Owner {
    /// An owner of nothing yet. Costs nothing.
    pub const fn new() -> Owner {
        Owner { home: Home::new() }
    }

    /// Runs `body` as this owner, and merges after it what others have handed over.
    ///
    /// May be nested: within, the thread is this owner only. Costs two exchanges of a word that nobody else wants, or none
    /// while the owner has not made any object.
    ///
    /// # Panics
    ///
    /// As `body` does, and as destructors of objects do that are merged: after that the thread is what it was before.
    #[inline]
    pub fn run<R>(&mut self, body: impl FnOnce() -> R) -> R {
        entering::run_as(&self.home, body)
    }
}

impl Default for Owner {
    fn default() -> Owner {
        Owner::new()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        entering::end(&self.home);
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner")
            .field("id", &self.home.id())
            .finish_non_exhaustive()
    }
}

/// A safe point: merges what others have handed over to the owner that this thread is, and runs the destructors of what has
/// thereby ended.
///
/// Costs a look at one word when there is nothing. It happens by itself now and then while the owner makes and drops objects
/// (every 64th time), when an [`Owner`] has run, in [`detached`], and at the end of a thread.
///
/// ```
/// use vivant_brc::Brc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// # use std::thread;
///
/// static GONE: AtomicBool = AtomicBool::new(false);
/// struct Noted;
/// impl Drop for Noted {
///     fn drop(&mut self) {
///         GONE.store(true, Ordering::Relaxed);
///     }
/// }
///
/// let mine = Brc::new(Noted);
/// thread::spawn(move || drop(mine)).join().unwrap();
/// vivant_brc::merge();
/// assert!(GONE.load(Ordering::Relaxed));
/// ```
#[inline]
pub fn merge() {
    current::safe_point();
}

/// Runs `body`, which waits for something, as no owner: whoever drops a reference to an object of this owner meanwhile may end
/// it at once, instead of leaving it to an owner that sleeps.
///
/// Objects that `body` makes have no owner: they count as an `Arc` does.
///
/// ```
/// # use std::sync::mpsc;
/// # let (sender, receiver) = mpsc::channel();
/// # sender.send(1).unwrap();
/// let next = vivant_brc::detached(|| receiver.recv());
/// # assert_eq!(next, Ok(1));
/// ```
///
/// # Panics
///
/// As `body` does.
pub fn detached<R>(body: impl FnOnce() -> R) -> R {
    entering::detached(body)
}
