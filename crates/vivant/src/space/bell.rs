//! [`Bell`]: who looks after a heap, and is told when others leave something in its lane. See [README.md](README.md).

use super::orphans::Orphans;
use super::rest::heard_after_ns;
use crate::alarm::Alarm;
use crate::cell::{AddressRef, CellRef};
use crate::sync::{Arc, Mutex, lock};
use crate::system::Shared;
use crate::timer::Timer;
use std::mem;
use std::task::Wake;

/// The waker of one heap, as long as there is one. Rung by any thread, at any time: in a turn, in
/// the middle of another heap's collection, after the system has ended. So all it does is to set a
/// timer.
pub(super) struct Bell(Mutex<Home>);

/// Where the heap is.
enum Home {
    Actor {
        cell: CellRef,
        /// Sends the actor the question whether it rests.
        ask: fn(AddressRef),
        /// Set from when it is decided that the actor is asked until it listens again: it will look
        /// at the lane by itself.
        asked: Option<Asked>,
    },
    /// Among the system's orphans, with this number.
    Orphan { system: Arc<Shared>, number: u64 },
    /// Everything is freed, or will be at once.
    Nowhere,
}

/// That the actor is to be asked.
struct Asked {
    timer: Timer,
    at_ns: u64,
}

/// Whom a ring is for.
enum Told {
    Orphan(Arc<Shared>, u64),
    /// After so many nanoseconds.
    Actor(u64),
}

impl Bell {
    /// That of an actor's heap.
    pub(super) fn of(cell: CellRef, ask: fn(AddressRef)) -> Arc<Bell> {
        let asked = None;
        Arc::new(Bell(Mutex::new(Home::Actor { cell, ask, asked })))
    }

    /// The actor will be asked whether it rests in so many nanoseconds, unless it was to be asked
    /// before that.
    pub(super) fn ask(&self, in_ns: u64) {
        let mut home = lock(&self.0);
        let Home::Actor { cell, ask, asked } = &mut *home else {
            return;
        };
        let system = &cell.system;
        let at_ns = system.oracle.now_ns().saturating_add(in_ns);
        if asked.as_ref().is_some_and(|asked| asked.at_ns <= at_ns) {
            return;
        }
        // Weakly: who has ended, or is reached by nobody, rests for good.
        let (me, ask) = (cell.clone(), *ask);
        let ring = move || me.upgrade().into_iter().for_each(ask);
        let timer = system.set_timer(in_ns, Alarm::Once(Box::new(ring)));
        if let Some(later) = asked.replace(Asked { timer, at_ns }) {
            // If it has rung meanwhile, the actor is asked twice.
            later.timer.cancel();
        }
    }

    /// The actor is about to look at its lane: whoever leaves something after that rings anew.
    pub(super) fn listens(&self) {
        let asked = match &mut *lock(&self.0) {
            Home::Actor { asked, .. } => asked.take(),
            _ => None,
        };
        // It has rung, as a rule. Not if the question was one to an earlier incarnation.
        if let Some(asked) = asked {
            asked.timer.cancel();
        }
    }

    /// The actor has ended, and others have its objects.
    pub(super) fn moves_to(&self, system: &Arc<Shared>, number: u64) {
        let system = system.clone();
        self.leaves(Home::Orphan { system, number });
    }

    /// The actor has ended, and nobody has anything of it.
    pub(super) fn is_over(&self) {
        self.leaves(Home::Nowhere);
    }

    fn leaves(&self, home: Home) {
        // Dropped outside the lock: it may be the last reference to a cell.
        let before = mem::replace(&mut *lock(&self.0), home);
        if let Home::Actor {
            asked: Some(asked), ..
        } = &before
        {
            asked.timer.cancel();
        }
    }

    fn ring(&self) {
        let told = match &*lock(&self.0) {
            Home::Orphan { system, number } => Told::Orphan(system.clone(), *number),
            Home::Actor { cell, .. } => Told::Actor(heard_after_ns(&cell.system)),
            Home::Nowhere => return,
        };
        match told {
            Told::Orphan(system, number) => Orphans::is_told(&system, number),
            // Not if it becomes an orphan in between: then that one is looked at.
            Told::Actor(in_ns) => self.ask(in_ns),
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}
