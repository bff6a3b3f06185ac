//! Owners: logical threads.

use crate::bias::current::{self, Home};
use crate::bias::entering;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// A logical thread, to which objects can belong: an actor, a task, a fibre.
///
/// A thread of the operating system is an owner by itself, from its first [`Brc`](crate::Brc) to
/// its end. Whoever runs other things on threads makes an `Owner` for each, and [runs](Owner::run)
/// each thing's code as its owner, on whatever thread that is: all objects that it makes are then
/// its own, for which it counts without atomics, and what others hand over to it is merged when it
/// next leaves.
///
/// Eight bytes. An id is taken at the first object, and is given back when no object names it any
/// more. While no thread runs an owner, and after it was dropped, whoever drops the last reference
/// but the owner's does its part.
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
    /// May be nested: within, the thread is this owner only. Costs two exchanges of a word that
    /// nobody else wants, or none while the owner has not made any object.
    ///
    /// # Panics
    ///
    /// As `body` does, and as destructors of objects do that are merged: after that the thread is
    /// what it was before.
    #[inline]
    pub fn run<R>(&mut self, body: impl FnOnce() -> R) -> R {
        entering::run_as(&mut self.home, body)
    }
}

impl Owner {
    fn into_home(self) -> Home {
        ManuallyDrop::new(self).home
    }
}

impl Default for Owner {
    fn default() -> Owner {
        Owner::new()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        current::end(self.home);
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner")
            .field("id", &self.home.id())
            .finish_non_exhaustive()
    }
}

/// A thread that runs others' code: the worker of an executor.
///
/// It is told when a run begins and ends, and which owner that is; most have made no object and are
/// none. An object that is made in a run whose owner is not known yet makes one, which
/// [`Executor::ends`] gives out, to be kept until the next run.
///
/// ```
/// use vivant_brc::{Brc, Executor, Owner};
///
/// let _executor = Executor::new();
/// // A task that makes no object costs nothing.
/// Executor::begins(None);
/// assert!(Executor::ends().is_none());
/// // One that does has an owner from then on.
/// Executor::begins(None);
/// let text = Brc::new(1);
/// let owner = Executor::ends();
/// assert!(owner.is_some());
/// // In its next run, here or on another worker:
/// Executor::begins(owner);
/// drop(text);
/// let owner = Executor::ends();
/// # drop(owner);
/// ```
///
/// Dropped, it lets the thread be what it was before.
#[must_use = "the thread executes as long as this is there"]
pub struct Executor {
    _before: entering::Before,
    /// It is about this thread.
    _here: PhantomData<*mut ()>,
}

impl Executor {
    /// From now on this thread runs what belongs to others.
    #[allow(clippy::new_without_default, reason = "it changes the thread")]
    pub fn new() -> Executor {
        Executor {
            _before: entering::executes(),
            _here: PhantomData,
        }
    }

    /// A run begins, of this owner, or of one that is not known yet.
    ///
    /// Costs a look at a thread-local word; with an owner, one exchange of a word that nobody else
    /// wants. If the last run was not ended, its owner ends.
    ///
    /// # Panics
    ///
    /// On a thread that does not execute.
    #[inline]
    pub fn begins(owner: Option<Owner>) {
        entering::run_begins(owner.map_or(Home::new(), Owner::into_home));
    }

    /// Whether the run has an owner by now.
    #[inline]
    #[must_use]
    pub fn has_owner() -> bool {
        current::has_owner()
    }

    /// The run ends: what others have handed over is merged. The owner, if the run had one; none
    /// also on a thread that does not execute.
    ///
    /// Costs as [`Executor::begins`] does.
    ///
    /// # Panics
    ///
    /// As destructors do of objects that are merged. The owner has ended then.
    #[inline]
    pub fn ends() -> Option<Owner> {
        let home = entering::run_ends();
        home.id().is_some().then_some(Owner { home })
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").finish_non_exhaustive()
    }
}

/// A safe point: merges what others have handed over to the owner that this thread is, and runs the
/// destructors of what has thereby ended.
///
/// Costs a look at one word when there is nothing. It happens by itself now and then while the
/// owner makes and ends objects, when an [`Owner`] has run, in [`detached`], and at the end of a
/// thread.
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
/// let too = mine.clone();
/// thread::spawn(move || drop((mine, too))).join().unwrap();
/// vivant_brc::merge();
/// assert!(GONE.load(Ordering::Relaxed));
/// ```
#[inline]
pub fn merge() {
    current::safe_point();
}

/// Runs `body`, which waits for something, as no owner: whoever drops a reference to an object of
/// this owner meanwhile may end it at once, instead of leaving it to an owner that sleeps.
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
