//! Owners: logical threads.

use crate::bias::current::{self, ParkedOwner};
use crate::bias::entering;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// A logical thread that can own objects: an actor, a task, a fibre.
///
/// A thread of the operating system is an owner by itself, from its first [`Brc`](crate::Brc) to
/// its end. An executor makes an `Owner` for each task, and [runs](Owner::run) the task's code as
/// that owner, on any thread. The owner then owns all objects that the code makes, and counts their
/// references without atomics. References that other threads have handed over to it are merged when
/// it next leaves.
///
/// An `Owner` has eight bytes. It takes an id at its first object, and gives it back when no object
/// names it any more. While no thread runs an owner, and after it was dropped, a thread that drops
/// the last reference other than the owner's does the owner's part.
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
    home: ParkedOwner,
}

impl Owner {
    /// An owner without objects. Allocates nothing.
    pub const fn new() -> Owner {
        Owner {
            home: ParkedOwner::new(),
        }
    }

    /// Runs `body` as this owner. After it, merges the references that other threads have handed
    /// over.
    ///
    /// Calls may be nested: within the inner `body`, the thread is the inner owner only. Costs two
    /// uncontended exchanges of one word, or none while the owner has not made any object.
    ///
    /// # Panics
    ///
    /// As `body` does, and as destructors of merged objects do. After a panic the thread's previous
    /// owner is restored.
    #[inline]
    pub fn run<R>(&mut self, body: impl FnOnce() -> R) -> R {
        entering::run_as(&mut self.home, body)
    }
}

impl Owner {
    fn into_home(self) -> ParkedOwner {
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

/// A guard: as long as it exists, its thread is the worker of an executor.
///
/// The executor calls [`Executor::begin_run`] and [`Executor::end_run`] around each run of a task,
/// with the task's owner. Most tasks have made no object and have no owner. The first object of a
/// run without owner makes an owner. [`Executor::end_run`] returns it, and the executor keeps it
/// until the task's next run.
///
/// ```
/// use vivant_brc::{Brc, Executor, Owner};
///
/// let _executor = Executor::new();
/// // A task that makes no object costs nothing.
/// Executor::begin_run(None);
/// assert!(Executor::end_run().is_none());
/// // A task that makes an object has an owner from then on.
/// Executor::begin_run(None);
/// let text = Brc::new(1);
/// let owner = Executor::end_run();
/// assert!(owner.is_some());
/// // In its next run, here or on another worker:
/// Executor::begin_run(owner);
/// drop(text);
/// let owner = Executor::end_run();
/// # drop(owner);
/// ```
///
/// Dropping it restores the thread's previous identity.
#[must_use = "the thread executes as long as this is there"]
pub struct Executor {
    _before: entering::PreviousIdentity,
    /// Not `Send`: the guard belongs to this thread.
    _here: PhantomData<*mut ()>,
}

impl Executor {
    /// From now on this thread is an executor's worker.
    #[allow(clippy::new_without_default, reason = "it changes the thread")]
    pub fn new() -> Executor {
        Executor {
            _before: entering::become_executor(),
            _here: PhantomData,
        }
    }

    /// A run begins, of this owner, or of a task that has no owner yet.
    ///
    /// Costs a load of a thread-local word; with an owner, also one uncontended exchange. If the
    /// last run was not ended, its owner ends.
    ///
    /// # Panics
    ///
    /// On a thread that has no `Executor`.
    #[inline]
    pub fn begin_run(owner: Option<Owner>) {
        entering::begin_run(owner.map_or(ParkedOwner::new(), Owner::into_home));
    }

    /// Returns true if the run has an owner by now.
    #[inline]
    #[must_use]
    pub fn has_owner() -> bool {
        current::has_owner()
    }

    /// The run ends: merges the references that other threads have handed over. Returns the owner,
    /// if the run had one; `None` also on a thread that has no `Executor`.
    ///
    /// Costs as [`Executor::begin_run`] does.
    ///
    /// # Panics
    ///
    /// As destructors of merged objects do. The owner has ended then.
    #[inline]
    pub fn end_run() -> Option<Owner> {
        let home = entering::end_run();
        home.id().is_some().then(|| Owner { home })
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").finish_non_exhaustive()
    }
}

/// A safe point: merges the references that other threads have handed over to this thread's owner,
/// and runs the destructors of the objects that end by it.
///
/// Costs a load of one word when the queue is empty. The owner calls it by itself: now and then
/// while it makes and ends objects, after [`Owner::run`], in [`detached`], and at the end of a
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

/// Runs `body`, which blocks, as no owner. Meanwhile a thread that drops a reference to an object
/// of this owner may end the object at once: the reference does not wait for an owner that sleeps.
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
