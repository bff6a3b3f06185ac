//! The worker loop: its own queue first, the common queue every so often, then stealing, then
//! sleep.

use super::offer::{Pace, Surplus};
use super::replacement::NEGLECTED_MS;
use super::round::{First, Round, Sources};
use super::sleep::{Park, Withdrawn};
use super::steal_policy::{StealPolicy, StealVerdict};
use super::threads::Threads;
use super::worker::Worker;
use super::worker_shared::{Tenure, WorkerShared};
use crate::cell::{self, Ran, Runnable, WorkerClass, catch};
use crate::observe;
use crate::state_storage::{Helped, Orphans};
use crate::sync::{Arc, Ordering};
use crate::system::Shared;
use std::mem;

/// What a worker remembers from run to run.
struct WorkerState {
    round: Round,
    pace: Pace,
    thief: StealPolicy,
    /// Time at which it next assists a mark although actors are runnable.
    helps_at_ns: u64,
    /// Whether it has assisted a mark since it last ran an actor.
    helped: Helped,
}

/// While actors are runnable, a worker assists marks for a tenth of its time (A5): after an assist
/// it runs actors for this multiple of the assist's time.
const SELDOM: u64 = 9;

impl WorkerState {
    /// Scans a few objects of a mark although actors are runnable, if that is due: no other thread
    /// scans for the mark of an idle actor. Returns true if work is left.
    #[inline]
    fn helps_seldom(&mut self, worker: &Worker, now_ns: u64) -> bool {
        let system = &worker.system;
        if !system.marks.are_running() || now_ns < self.helps_at_ns {
            return false;
        }
        let began_ns = system.oracle.now_ns();
        let helped = system.marks.help(system);
        let ended_ns = system.oracle.now_ns();
        self.helps_at_ns = ended_ns + SELDOM * (ended_ns - began_ns);
        helped == Helped::Some && system.marks.wants_help()
    }
}

/// Returns true if a worker is needed for work that is no actor's run: detached heaps (O9), and
/// actors that may be unreachable (O10).
#[inline]
fn is_called(worker: &Worker) -> bool {
    worker.system.orphans.are_calling() || worker.system.detector.is_calling()
}

/// Does that work. It is no turn, but other workers take this worker's queue over as if it were a
/// turn.
#[inline]
fn care(worker: &Worker, seat: &WorkerShared) {
    let _crowd = worker.tells_of_suspects();
    if is_called(worker) {
        let now_ms = worker.system.oracle.coarse_ms();
        seat.watch.begins_for_nobody(now_ms);
        if worker.system.orphans.are_calling() {
            Orphans::care(&worker.system);
        }
        if worker.system.detector.is_calling() {
            worker.system.detector.care(&worker.system);
        }
        seat.watch.ends_for_nobody();
    }
}

/// Scans a few objects of a running mark (H7), or runs a detached heap (O9), before the worker
/// looks for actors again.
#[inline]
fn helps(worker: &Worker, seat: &WorkerShared) -> Helped {
    let system = &worker.system;
    if system.marks.are_running() && system.marks.help(system) == Helped::Some {
        return Helped::Some;
    }
    if !system.orphans.owe() {
        return Helped::Nothing;
    }
    seat.watch.begins_for_nobody(system.oracle.coarse_ms());
    Orphans::help(system);
    seat.watch.ends_for_nobody();
    Helped::Some
}

impl Threads {
    /// The worker loop.
    pub(super) fn work(&self, worker: &std::rc::Rc<Worker>) {
        let Some(seat) = worker.seat().cloned() else {
            return;
        };
        Worker::enter(worker, |worker| {
            let now_ns = worker.system.oracle.now_ns();
            let mut habits = WorkerState {
                round: Round::new(),
                pace: Pace::default(),
                thief: StealPolicy::woken(now_ns, &self.patience),
                helps_at_ns: 0,
                helped: Helped::Nothing,
            };
            // One catch around all runs until a panic, because a catch around each would cost a
            // tenth of a short run.
            while let Err(caught) = catch(|| self.run_actors(worker, &seat, &mut habits)) {
                if let Ran::Requeue(actor) = cell::rescue(worker, caught) {
                    self.requeue(&seat, actor, &worker.system);
                }
            }
            seat.count_dropped();
            let _crowd = worker.tells_of_suspects();
            self.leave(&seat);
            if is_called(worker) || worker.system.marks.wants_help() {
                // G2: others fell asleep while this worker did that work.
                self.wake_one();
            }
        });
        worker.system.bytes.inherit(&seat.bytes);
        self.turns_before.fetch_add(seat.turns(), Ordering::Relaxed);
        if self.is_closed() {
            // If no other worker is left, the actors that this worker left must run here.
            self.run_after_hours(&worker.system);
        }
    }

    /// Runs one actor after the other until it is time to leave. A panic of a turn passes through.
    fn run_actors(&self, worker: &Worker, seat: &WorkerShared, habits: &mut WorkerState) {
        let budget = worker.system.config.budget;
        let oracle = &worker.system.oracle;
        loop {
            let first = habits.round.next(oracle.coarse_ms());
            if first != First::Woken {
                if self.may_retire(seat) {
                    return;
                }
                seat.count_dropped();
                let now_ns = oracle.now_ns();
                self.between_rounds(seat, habits, now_ns);
                care(worker, seat);
                if habits.helps_seldom(worker, now_ns) {
                    // A worker that looked for work since may have found none, and sleeps.
                    self.wake_one();
                }
            }
            let next = self
                .near(seat, first)
                .or_else(|| self.far(seat, &mut habits.thief, worker));
            match next {
                Some(actor) => {
                    if mem::take(&mut habits.helped) == Helped::Some
                        && worker.system.marks.wants_help()
                    {
                        // This worker leaves the mark for a while; another may have looked for that
                        // work in vain.
                        self.wake_one();
                    }
                    if let Ran::Requeue(actor) = cell::run_to_panic(actor, worker, budget) {
                        self.requeue_or_hold(worker, seat, actor);
                    }
                }
                // An actor that this wakes is to end.
                None if seat.has_dropped() => seat.count_dropped(),
                None if self.is_closed() => return,
                None if worker.has_suspects() || is_called(worker) => care(worker, seat),
                None if helps(worker, seat) == Helped::Some => habits.helped = Helped::Some,
                None => {
                    habits.thief.rests(&self.patience);
                    observe::rests(worker);
                    self.sleep(seat, worker);
                    if self.may_retire(seat) {
                        return;
                    }
                    let now_ns = oracle.now_ns();
                    habits.pace.woke(now_ns, seat.turns());
                    habits.thief = StealPolicy::woken(now_ns, &self.patience);
                }
            }
        }
    }

    /// As `requeue`, but an actor that has made many cycle candidates is throttled until they have
    /// been scanned.
    fn requeue_or_hold(&self, worker: &Worker, seat: &WorkerShared, actor: Runnable) {
        let system = &worker.system;
        let requeued = match worker.take_crowding() {
            Some(id) if id == actor.id => system.detector.holds_back(system, actor),
            _ => Some(actor),
        };
        if let Some(actor) = requeued {
            self.requeue(seat, actor, system);
        }
    }

    /// An actor has spent its budget: it goes to the end of the queue, or, if it is slow or blocks,
    /// to the threads of its worker class.
    fn requeue(&self, seat: &WorkerShared, actor: Runnable, system: &Arc<Shared>) {
        match actor.lane() {
            WorkerClass::Workers | WorkerClass::Suspect => {
                seat.queue.push(actor);
            }
            WorkerClass::Slow | WorkerClass::Blocking => self.schedule_elsewhere(actor, system),
        }
    }

    fn may_retire(&self, seat: &WorkerShared) -> bool {
        seat.tenure == Tenure::Surplus && self.handover.may_retire()
    }

    fn between_rounds(&self, seat: &WorkerShared, habits: &mut WorkerState, now_ns: u64) {
        self.look(seat, &mut habits.pace, habits.round.ran(), now_ns);
        self.judge(seat, &mut habits.thief, now_ns);
    }

    /// Samples the statistics between two rounds, and offers work that has waited for long.
    fn look(&self, seat: &WorkerShared, pace: &mut Pace, runs: u32, now_ns: u64) {
        let queued = seat.queue.waiting();
        let (mean_ns, surplus) = pace.look(now_ns, runs, queued, self.patience.ns());
        seat.run_ns
            .store(mean_ns.min(u64::from(u32::MAX)) as u32, Ordering::Relaxed);
        if let Some(turns) = pace.turns_per_ms(now_ns, seat.turns()) {
            seat.turns_per_ms.store(turns, Ordering::Relaxed);
        }
        if surplus == Surplus::Lasting && seat.is_worth_sharing() {
            self.offer();
        }
    }

    /// Evaluates whether this worker's work is worth a second worker; if not, gives its queue to
    /// the first.
    fn judge(&self, seat: &WorkerShared, thief: &mut StealPolicy, now_ns: u64) {
        let others = || {
            let regular = |other: &Arc<WorkerShared>| other.tenure == Tenure::Regular;
            let before = |other: &Arc<WorkerShared>| !std::ptr::eq(&**other, seat);
            let seats = self.seats().into_iter();
            seats.take_while(before).filter(regular).collect()
        };
        let StealVerdict::GiveTo(other) = thief.verdict(seat, others, now_ns, &self.patience)
        else {
            return;
        };
        self.put_back(seat);
        other.queue.extend(seat.queue.take_all());
        // That worker may have fallen asleep since.
        self.sleepers.wake(&other.parker);
        if self.is_closed() {
            // Or it has left its seat, because the system closes, and gave its queue up before
            // these actors were put there.
            self.common.extend(other.queue.take_all());
        }
    }

    /// Returns the next actor from this worker's LIFO slot and queue, or the common queue.
    #[inline]
    fn near(&self, seat: &WorkerShared, first: First) -> Option<Runnable> {
        self.sources(seat).next(first)
    }

    fn sources<'s>(&'s self, seat: &'s WorkerShared) -> Sources<'s, Runnable> {
        Sources {
            woken: &seat.woken,
            own: &seat.queue,
            common: &self.common,
        }
    }

    /// Moves the actor of the LIFO slot to the end of the queue.
    fn put_back(&self, seat: &WorkerShared) {
        self.sources(seat).put_back();
    }

    /// Steals an actor from another worker.
    fn far(
        &self,
        seat: &WorkerShared,
        thief: &mut StealPolicy,
        worker: &Worker,
    ) -> Option<Runnable> {
        let now_ns = worker.system.oracle.now_ns();
        if !thief.is_hungry(now_ns, &self.patience) {
            return None;
        }
        let (loot, victim) = self.steal(seat, worker.system.oracle.coarse_ms())?;
        thief.stole(victim, seat, now_ns);
        Some(loot)
    }

    fn steal(&self, thief: &WorkerShared, now_ms: u64) -> Option<(Runnable, Arc<WorkerShared>)> {
        for victim in self.seats() {
            if std::ptr::eq(&*victim, thief) {
                continue;
            }
            let held_up = victim.watch.runs_since(now_ms) >= NEGLECTED_MS;
            if !held_up && !victim.is_worth_sharing() {
                continue;
            }
            thief.queue.extend(victim.queue.steal());
            let first = thief.queue.pop_oldest();
            let woken = || if held_up { victim.woken.take() } else { None };
            let first = first.or_else(woken);
            if let Some(first) = first {
                return Some((first, victim));
            }
        }
        None
    }

    /// W1: announces, makes the last check, sleeps. The check covers the own queue too: a thief may
    /// have given stolen actors back. The queues of other workers are not checked: those workers
    /// are awake, and either offer their work or the clock offers it.
    fn sleep(&self, seat: &WorkerShared, worker: &Worker) {
        seat.rest.begins(worker.system.oracle.now_ns());
        self.sleepers.announce(&seat.parker);
        let stays_awake = !self.common.is_empty()
            || !seat.queue.is_empty()
            || self.is_closed()
            || is_called(worker)
            || worker.system.marks.wants_help();
        if !stays_awake || self.sleepers.withdraw(&seat.parker) == Withdrawn::TokenComes {
            seat.parker.park();
        }
        // Also after a sleep that was only announced: the clock may have gone to rest because of it
        // (K1).
        worker.system.oracle.tick();
        self.clock.rouse();
        seat.rest.ends(worker.system.oracle.now_ns());
    }

    /// Returns true if any queue holds an actor.
    pub(super) fn has_work(&self) -> bool {
        !self.common.is_empty() || self.seats().iter().any(|seat| seat.has_waiting())
    }

    /// A worker leaves: its queued actors go to the other workers.
    pub(super) fn leave(&self, seat: &WorkerShared) {
        let mut seats = self
            .seats
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        seats.retain(|other| !std::ptr::eq(&**other, seat));
        drop(seats);
        self.put_back(seat);
        self.common.extend(seat.queue.take_all());
        // Even if its own queue was empty: it may have been woken for work that it now leaves to
        // another.
        if self.has_work() {
            self.sleepers.wake_one();
        }
    }
}
