//! [`Orphans`]: what is left of actors' heaps after their end, until nobody has any of it (O9). See [README.md](README.md).

use super::bell::Bell;
use super::orphan_table::Table;
use super::rest::heard_after_ns;
use crate::alarm::Alarm;
use crate::scheduler::{Scheduler, Worker};
use crate::sync::{Arc, AtomicBool, Mutex, MutexGuard, Ordering, lock};
use crate::system::Shared;
use std::thread;
use vivant_heap::{HeapId, Keepers, ObjectName, Orphan};

/// What a worker does in one go, between two rounds of actors: so many objects are gone through, or
/// what takes as long; some ten to some hundred microseconds.
const PIECE: usize = 4096;

/// As above, by a worker that finds no actor to run.
const QUANTUM: usize = 512;

/// Workers that have actors to run give orphans this part of one worker's time; twice that if two
/// of them owe something. If so many do it is all of it, and whose heap ends then goes through it
/// at once.
const CROWD: usize = 10;

/// The orphans of a system.
#[derive(Default)]
pub(crate) struct Orphans {
    state: Mutex<State>,
    /// Whether a worker is to look after them.
    called: AtomicBool,
    /// Whether there is something to do for a worker that has nothing else to do.
    owe: AtomicBool,
}

#[derive(Default)]
struct State {
    table: Table,
    care: Care,
    hours: Hours,
}

/// Who cares for them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Care {
    #[default]
    Nobody,
    /// Somebody will: a timer is set to then, or they have called.
    Later { at_ns: u64 },
    /// Somebody is at it. He sees those that are told meanwhile.
    Now,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    /// There are timers and workers.
    #[default]
    Open,
    /// They have left: who gives something up cares for it himself, until nothing is left to do.
    Over,
}

impl Orphans {
    /// A heap has ended, and this is left of it. In nobody's turn.
    pub(super) fn take_in(system: &Arc<Shared>, orphan: Orphan, bell: &Bell) {
        let orphans = &system.orphans;
        let now_ns = system.oracle.now_ns();
        let (number, due) = {
            let mut state = lock(&orphans.state);
            (state.table.number(), state.table.due(now_ns, CROWD))
        };
        let orphan = match orphan.owes() && due == CROWD {
            true => orphan.heed(),
            false => Some(orphan),
        };
        let Some(orphan) = orphan else {
            bell.is_over();
            return;
        };
        bell.moves_to(system, number);
        let heard_ns = now_ns + heard_after_ns(system);
        let mut state = lock(&orphans.state);
        // What was left before the bell had moved was told to the actor. What was left since has
        // told of this number, which may have been looked for in vain.
        if let Some(due_ns) = state.table.comes(number, orphan, now_ns, heard_ns) {
            Orphans::will_be_looked_at(system, state, due_ns);
        }
    }

    /// Others have left something for this one.
    pub(super) fn is_told(system: &Arc<Shared>, number: u64) {
        let now_ns = system.oracle.now_ns();
        let mut state = lock(&system.orphans.state);
        let heard_ns = match state.care {
            // By one that is freed, perhaps.
            Care::Now => now_ns,
            Care::Nobody | Care::Later { .. } => now_ns + heard_after_ns(system),
        };
        if let Some(due_ns) = state.table.is_told(number, heard_ns) {
            Orphans::will_be_looked_at(system, state, due_ns);
        }
    }

    /// One is due then: somebody will care.
    fn will_be_looked_at(system: &Arc<Shared>, state: MutexGuard<'_, State>, due_ns: u64) {
        match (state.care, state.hours) {
            (Care::Now, _) => {}
            (_, Hours::Over) => {
                drop(state);
                Orphans::after_hours(system);
            }
            (Care::Later { at_ns }, Hours::Open) if at_ns <= due_ns => {}
            (Care::Nobody | Care::Later { .. }, Hours::Open) => {
                Orphans::will_care(system, state, Care::Nobody, 0);
            }
        }
    }

    /// Nobody cares now, and somebody would have `before`: says who will, if so much time was spent
    /// just now.
    fn will_care(
        system: &Arc<Shared>,
        mut state: MutexGuard<'_, State>,
        before: Care,
        took_ns: u64,
    ) {
        let orphans = &system.orphans;
        let Some(next_ns) = state.table.next_ns() else {
            state.care = Care::Nobody;
            return;
        };
        let now_ns = system.oracle.now_ns();
        let due = state.table.due(now_ns, CROWD);
        let wanted_ns = match due {
            0 => next_ns,
            due => now_ns.saturating_add(took_ns.saturating_mul((CROWD - due) as u64)),
        };
        // Relaxed: who does not see it yet sees it the next time, or the timer comes first.
        orphans.owe.store(due != 0, Ordering::Relaxed);
        if let Care::Later { at_ns } = before
            && now_ns < at_ns
            && at_ns <= wanted_ns
        {
            state.care = before;
            return;
        }
        let at_ns = wanted_ns;
        state.care = Care::Later { at_ns };
        drop(state);
        if at_ns <= now_ns {
            orphans.call(system);
            return;
        }
        let caller = system.clone();
        let ring = move || {
            // Another time may have been agreed upon.
            let care = lock(&caller.orphans.state).care;
            if care == (Care::Later { at_ns }) {
                caller.orphans.call(&caller);
            }
        };
        system.set_timer(at_ns - now_ns, Alarm::Once(Box::new(ring)));
    }

    fn call(&self, system: &Shared) {
        // SeqCst: whoever falls asleep has announced it before it looks here, and is woken if it
        // has not seen this.
        self.called.store(true, Ordering::SeqCst);
        self.wakes(system);
    }

    fn wakes(&self, system: &Shared) {
        if let Scheduler::Threads(threads) = &system.scheduler {
            threads.wake_one();
        }
    }

    /// Whether a worker is to look after them.
    #[inline]
    pub(crate) fn are_calling(&self) -> bool {
        // SeqCst: as in `call`.
        self.called.load(Ordering::SeqCst)
    }

    /// Does a piece of what is due. Not in a turn, and not in a collection.
    pub(crate) fn care(system: &Arc<Shared>) {
        Orphans::care_by(system, PIECE);
        if system.orphans.owe() {
            system.orphans.wakes(system);
        }
    }

    /// As `care`, by a worker that has nothing else to do.
    pub(crate) fn help(system: &Arc<Shared>) {
        Orphans::care_by(system, QUANTUM);
    }

    /// Whether there is something to do for such a worker.
    #[inline]
    pub(crate) fn owe(&self) -> bool {
        // Relaxed: as in `will_care`.
        self.owe.load(Ordering::Relaxed)
    }

    /// As `care`, by so much work. After hours all that is to be done is done.
    pub(crate) fn care_by(system: &Arc<Shared>, most: usize) {
        let orphans = &system.orphans;
        // Relaxed: the lock decides.
        orphans.called.store(false, Ordering::Relaxed);
        orphans.owe.store(false, Ordering::Relaxed);
        let mut state = lock(&orphans.state);
        if state.care == Care::Now {
            return;
        }
        let before = std::mem::replace(&mut state.care, Care::Now);
        let clock = || system.oracle.now_ns();
        let (began_ns, mut work) = (clock(), most);
        loop {
            let now_ns = match state.hours {
                Hours::Open => clock(),
                Hours::Over => u64::MAX,
            };
            if state.hours == Hours::Over {
                work = usize::MAX;
            }
            let taken = match work {
                0 => None,
                _ => state.table.take(now_ns),
            };
            let Some(taken) = taken else { break };
            drop(state);
            let seen = taken.step(now_ns, &mut work, clock);
            let heard_ns = now_ns.saturating_add(heard_after_ns(system));
            state = lock(&orphans.state);
            state.table.put_back(seen, now_ns, heard_ns);
        }
        let took_ns = clock() - began_ns;
        Orphans::will_care(system, state, before, took_ns);
    }

    /// The system has ended: its timers and workers are gone.
    pub(crate) fn close(system: &Arc<Shared>) {
        lock(&system.orphans.state).hours = Hours::Over;
        Orphans::care_by(system, usize::MAX);
    }

    /// Somebody gives up what a system had that has ended.
    #[cold]
    fn after_hours(system: &Arc<Shared>) {
        if Worker::with_current(|_| ()).is_none() {
            Orphans::care_by(system, usize::MAX);
            return;
        }
        // In a turn of another system, or in its collection. If there is no thread to be had, who
        // comes next cares for it.
        let theirs = system.clone();
        let name = format!("{}-orphans", system.config.name);
        let _thread = thread::Builder::new()
            .name(name)
            .spawn(move || Orphans::care_by(&theirs, usize::MAX));
    }

    /// What keeps an object of one of them; none if its owner is not among them.
    pub(crate) fn keepers(&self, owner: HeapId, of: ObjectName) -> Option<Keepers> {
        lock(&self.state).table.keepers(owner, of)
    }

    /// How many there are, but for the one that is looked at.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).table.len()
    }
}
