//! The worker loop: its own queue first, the common queue every so often, then stealing, then
//! sleep.

use super::replacement::HELD_UP_MS;
use super::round::{First, Round, Sources};
use super::run_speed::{Backlog, RunSpeed};
use super::runs_again;
use super::steal_policy::{StealPolicy, StealVerdict};
use super::threads::Threads;
use crate::actor::{DelayedMessage, Runnable, Scheduler, Shared, Worker, WorkerClass};
use crate::actor::{Tenure, WorkerShared};
use crate::candidates::Candidates;
use crate::cycles::Detector;
use crate::failures::catch;
use crate::gc_state::{ConcurrentMarks, DetachedHeaps, IdleWork};
use crate::observe;
use crate::queues::{Park, Withdrawn};
use crate::services::Timers;
use crate::sync::{Arc, Ordering};
use std::mem;

/// What a worker remembers from run to run.
struct LoopState<'s> {
    system_work: SystemWork<'s>,
    round: Round,
    speed: RunSpeed,
    steal_policy: StealPolicy,
    /// Time at which it next assists a mark although actors are runnable.
    next_help_ns: u64,
    /// Whether it has assisted a mark since it last ran an actor.
    idle_work: IdleWork,
}

/// While actors are runnable, a worker assists marks for a tenth of its time (A5): after an assist
/// it runs actors for this multiple of the assist's time.
const BUSY_PER_HELP: u64 = 9;

impl LoopState<'_> {
    /// Scans a few objects of a mark although actors are runnable, if that is due: no other thread
    /// scans for the mark of an idle actor. Returns true if work is left.
    #[inline]
    fn help_while_busy(&mut self, worker: &Worker, now_ns: u64) -> bool {
        let (system, marks) = (&worker.system, self.system_work.marks);
        if !marks.any_running() || now_ns < self.next_help_ns {
            return false;
        }
        let began_ns = system.oracle.now_ns();
        let idle_work = marks.help(system);
        let ended_ns = system.oracle.now_ns();
        self.next_help_ns = ended_ns + BUSY_PER_HELP * (ended_ns - began_ns);
        idle_work == IdleWork::Done && marks.wants_help()
    }
}

/// The work of a system that is no actor's run. Found once, because a worker reads it between all
/// rounds.
#[derive(Clone, Copy)]
struct SystemWork<'s> {
    /// Alarms that are due.
    timers: &'s Timers<DelayedMessage>,
    /// Concurrent marks (H7).
    marks: &'s ConcurrentMarks,
    /// Detached heaps (O9).
    detached_heaps: &'s DetachedHeaps,
    /// Actors that may be unreachable (O10).
    candidates: &'s Candidates<Runnable>,
}

impl SystemWork<'_> {
    fn of(system: &Shared) -> SystemWork<'_> {
        SystemWork {
            timers: &system.timers,
            marks: ConcurrentMarks::of(system),
            detached_heaps: DetachedHeaps::of(system),
            candidates: &system.candidates,
        }
    }

    /// Returns true if a worker is needed for alarms, for detached heaps or for the detector.
    #[inline]
    fn is_requested(self) -> bool {
        self.timers.is_worker_requested()
            || self.detached_heaps.is_run_requested()
            || self.candidates.is_pass_requested()
    }

    /// Does that work. It is no turn, but other workers take this worker's queue over as if it were
    /// a turn.
    #[inline]
    fn run(self, worker: &Worker, worker_shared: &WorkerShared) {
        let _pass = worker.enter_pass();
        let _overload = worker.flush_candidates();
        if self.is_requested() {
            let now_ms = worker.system.oracle.coarse_ms();
            worker_shared.watch.begin_other_work(now_ms);
            if self.timers.is_worker_requested() {
                worker.system.fire_in_turn();
            }
            // L6: each piece of work may have been asked for behind the line.
            let _pass = worker.enter_pass();
            if self.detached_heaps.is_run_requested() {
                DetachedHeaps::run(&worker.system);
            }
            let _pass = worker.enter_pass();
            if self.candidates.is_pass_requested() {
                Detector::of(&worker.system).run(&worker.system);
            }
            worker_shared.watch.end_other_work();
        }
    }

    /// Scans a few objects of a running mark, or runs a detached heap, before the worker looks for
    /// actors again.
    #[inline]
    fn help(self, worker: &Worker, worker_shared: &WorkerShared) -> IdleWork {
        let system = &worker.system;
        if self.marks.any_running() && self.marks.help(system) == IdleWork::Done {
            return IdleWork::Done;
        }
        if !self.detached_heaps.has_due() {
            return IdleWork::None;
        }
        worker_shared
            .watch
            .begin_other_work(system.oracle.coarse_ms());
        DetachedHeaps::run_when_idle(system);
        worker_shared.watch.end_other_work();
        IdleWork::Done
    }
}

impl Threads {
    /// The worker loop.
    pub(super) fn work(&self, worker: &std::rc::Rc<Worker>) {
        let Some(worker_shared) = worker.worker_shared().cloned() else {
            return;
        };
        Worker::enter(worker, |worker| {
            worker.published(|| {
                let now_ns = worker.system.oracle.now_ns();
                let system_work = SystemWork::of(&worker.system);
                let mut loop_state = LoopState {
                    system_work,
                    round: Round::new(),
                    speed: RunSpeed::default(),
                    steal_policy: StealPolicy::woken(now_ns, &worker.system.idle.offer_delay),
                    next_help_ns: 0,
                    idle_work: IdleWork::None,
                };
                // One catch around all runs until a panic, because a catch around each would cost a
                // tenth of a short run.
                while let Err(caught) =
                    catch(|| self.run_actors(worker, &worker_shared, &mut loop_state))
                {
                    let ran = crate::run::rescue(worker, caught);
                    if let Some(actor) = runs_again(ran, &worker.system) {
                        self.requeue(&worker_shared, actor, &worker.system);
                    }
                }
                worker_shared.count_dropped();
                let _overload = worker.flush_candidates();
                self.leave(&worker_shared, &worker.system);
                if system_work.is_requested() || system_work.marks.wants_help() {
                    // D2: others fell asleep while this worker did that work.
                    worker.system.idle.wake_one();
                }
            })
        });
        worker.system.bytes.inherit(&worker_shared.bytes);
        self.turns_before
            .fetch_add(worker_shared.turns(), Ordering::Relaxed);
        if self.is_closed() {
            // If no other worker is left, the actors that this worker left must run here.
            self.run_after_shutdown(&worker.system);
        }
    }

    /// Runs one actor after the other until it is time to leave. A panic of a turn passes through.
    fn run_actors(
        &self,
        worker: &Worker,
        worker_shared: &WorkerShared,
        loop_state: &mut LoopState<'_>,
    ) {
        let budget = worker.system.config.budget;
        let oracle = &worker.system.oracle;
        let system_work = loop_state.system_work;
        loop {
            let first = loop_state.round.next(oracle.coarse_ms());
            if first != First::Woken {
                worker.between_turns();
                if self.may_retire(worker_shared) {
                    return;
                }
                worker_shared.count_dropped();
                let now_ns = oracle.now_ns();
                self.end_round(worker, worker_shared, loop_state, now_ns);
                system_work.run(worker, worker_shared);
                if loop_state.help_while_busy(worker, now_ns) {
                    // A worker that found no work since may sleep.
                    worker.system.idle.wake_one();
                }
            }
            let next = self
                .next_local(worker_shared, first)
                .or_else(|| self.next_stolen(worker_shared, &mut loop_state.steal_policy, worker));
            match next {
                Some(actor) => {
                    if mem::take(&mut loop_state.idle_work) == IdleWork::Done
                        && system_work.marks.wants_help()
                    {
                        // This worker leaves the mark for a while; another may have found no
                        // packet, and sleep.
                        worker.system.idle.wake_one();
                    }
                    let ran = crate::run::run_to_panic(actor, worker, budget);
                    if let Some(actor) = runs_again(ran, &worker.system) {
                        self.requeue_or_throttle(worker, worker_shared, actor);
                    }
                }
                // An actor that this wakes is to end.
                None if worker_shared.has_dropped() => worker_shared.count_dropped(),
                None if self.is_closed() => return,
                None if worker.has_candidates() || system_work.is_requested() => {
                    system_work.run(worker, worker_shared);
                }
                None if system_work.help(worker, worker_shared) == IdleWork::Done => {
                    loop_state.idle_work = IdleWork::Done
                }
                None => {
                    loop_state
                        .steal_policy
                        .before_sleep(&worker.system.idle.offer_delay);
                    observe::flush(&worker.meters);
                    self.sleep(worker_shared, worker, system_work);
                    if self.may_retire(worker_shared) {
                        return;
                    }
                    let now_ns = oracle.now_ns();
                    loop_state.speed.woke(now_ns, worker_shared.turns());
                    loop_state.steal_policy =
                        StealPolicy::woken(now_ns, &worker.system.idle.offer_delay);
                }
            }
        }
    }

    /// As `requeue`, but an actor that has made many cycle candidates is throttled until they have
    /// been scanned.
    fn requeue_or_throttle(&self, worker: &Worker, worker_shared: &WorkerShared, actor: Runnable) {
        let system = &worker.system;
        let requeued = match worker.take_throttled() {
            Some(id) if id == actor.id => Detector::throttle(system, actor),
            _ => Some(actor),
        };
        if let Some(actor) = requeued {
            self.requeue(worker_shared, actor, system);
        }
    }

    /// An actor has spent its budget: it goes to the end of the queue, or, if it is slow or blocks,
    /// to the threads of its worker class.
    fn requeue(&self, worker_shared: &WorkerShared, actor: Runnable, system: &Arc<Shared>) {
        match actor.worker_class() {
            WorkerClass::Workers | WorkerClass::Candidate => {
                worker_shared.queue.push(actor);
            }
            WorkerClass::Slow | WorkerClass::Blocking => self.schedule(actor, system),
        }
    }

    fn may_retire(&self, worker_shared: &WorkerShared) -> bool {
        worker_shared.tenure == Tenure::Surplus && self.replacement.may_retire()
    }

    fn end_round(
        &self,
        worker: &Worker,
        worker_shared: &WorkerShared,
        loop_state: &mut LoopState<'_>,
        now_ns: u64,
    ) {
        self.sample(
            &worker.system,
            worker_shared,
            &mut loop_state.speed,
            loop_state.round.ran(),
            now_ns,
        );
        self.evaluate_steal(worker, worker_shared, &mut loop_state.steal_policy, now_ns);
    }

    /// Samples the statistics between two rounds, and offers work that has waited for long.
    fn sample(
        &self,
        system: &Shared,
        worker_shared: &WorkerShared,
        speed: &mut RunSpeed,
        runs: u32,
        now_ns: u64,
    ) {
        let queued = worker_shared.queue.waiting();
        let (mean_ns, backlog) = speed.sample(now_ns, runs, queued, system.idle.offer_delay.ns());
        worker_shared
            .run_ns
            .store(mean_ns.min(u64::from(u32::MAX)) as u32, Ordering::Relaxed);
        if let Some(turns) = speed.turns_per_ms(now_ns, worker_shared.turns()) {
            worker_shared.turns_per_ms.store(turns, Ordering::Relaxed);
        }
        if backlog == Backlog::Lasting && worker_shared.is_worth_sharing() {
            system.idle.offer();
        }
    }

    /// Evaluates whether this worker's work is worth a second worker; if not, gives its queue to
    /// the first.
    fn evaluate_steal(
        &self,
        worker: &Worker,
        worker_shared: &WorkerShared,
        steal_policy: &mut StealPolicy,
        now_ns: u64,
    ) {
        let others = || {
            let regular = |other: &Arc<WorkerShared>| other.tenure == Tenure::Regular;
            let before = |other: &Arc<WorkerShared>| !std::ptr::eq(&**other, worker_shared);
            let all_shared = self.all_shared().into_iter();
            all_shared.take_while(before).filter(regular).collect()
        };
        let StealVerdict::GiveTo(other) = steal_policy.verdict(
            worker_shared,
            others,
            now_ns,
            &worker.system.idle.offer_delay,
        ) else {
            return;
        };
        self.put_back(worker_shared);
        other.queue.extend(worker_shared.queue.take_all());
        // That worker may have fallen asleep since.
        worker.system.idle.sleepers.wake(&other.parker);
        if self.is_closed() {
            // Or it has left, because the system closes, and gave its queue up before
            // these actors were put there.
            self.common.extend(other.queue.take_all());
        }
    }

    /// Returns the next actor from this worker's LIFO slot and queue, or the common queue.
    #[inline]
    fn next_local(&self, worker_shared: &WorkerShared, first: First) -> Option<Runnable> {
        self.sources(worker_shared).next(first)
    }

    fn sources<'s>(&'s self, worker_shared: &'s WorkerShared) -> Sources<'s, Runnable> {
        Sources {
            woken: &worker_shared.woken,
            own: &worker_shared.queue,
            common: &self.common,
        }
    }

    /// Moves the actor of the LIFO slot to the end of the queue.
    fn put_back(&self, worker_shared: &WorkerShared) {
        self.sources(worker_shared).put_back();
    }

    /// Steals an actor from another worker.
    fn next_stolen(
        &self,
        worker_shared: &WorkerShared,
        steal_policy: &mut StealPolicy,
        worker: &Worker,
    ) -> Option<Runnable> {
        let now_ns = worker.system.oracle.now_ns();
        if !steal_policy.may_steal(now_ns, &worker.system.idle.offer_delay) {
            return None;
        }
        let (stolen, victim) = self.steal(worker_shared, worker.system.oracle.coarse_ms())?;
        steal_policy.record_steal(victim, worker_shared, now_ns);
        Some(stolen)
    }

    fn steal(&self, own: &WorkerShared, now_ms: u64) -> Option<(Runnable, Arc<WorkerShared>)> {
        for victim in self.all_shared() {
            if std::ptr::eq(&*victim, own) {
                continue;
            }
            let held_up = victim.watch.current_turn_ms(now_ms) >= HELD_UP_MS;
            if !held_up && !victim.is_worth_sharing() {
                continue;
            }
            own.queue.extend(victim.queue.steal());
            let first = own.queue.pop_oldest();
            let woken = || if held_up { victim.woken.take() } else { None };
            let first = first.or_else(woken);
            if let Some(first) = first {
                return Some((first, victim));
            }
        }
        None
    }

    /// W1: announces, makes the last check, sleeps. The check covers the own queue too: a stealing
    /// worker may have given actors back. The queues of other workers are not checked: those
    /// workers are awake, and either offer their work or the clock offers it.
    fn sleep(&self, worker_shared: &WorkerShared, worker: &Worker, system_work: SystemWork<'_>) {
        worker_shared.rest.begins(worker.system.oracle.now_ns());
        worker.system.idle.sleepers.announce(&worker_shared.parker);
        let stays_awake = !self.common.is_empty()
            || !worker_shared.queue.is_empty()
            || self.is_closed()
            || system_work.is_requested()
            || system_work.marks.wants_help();
        if !stays_awake
            || worker.system.idle.sleepers.withdraw(&worker_shared.parker) == Withdrawn::TokenComes
        {
            worker.waits(|| worker_shared.parker.park());
        }
        // Also after a sleep that was only announced: the clock may have become idle because of it
        // (K1).
        worker.system.oracle.tick();
        self.clock.rouse();
        worker_shared.rest.ends(worker.system.oracle.now_ns());
    }

    /// Returns true if any queue holds an actor.
    pub(super) fn has_work(&self) -> bool {
        !self.common.is_empty()
            || self
                .all_shared()
                .iter()
                .any(|worker_shared| worker_shared.has_waiting())
    }

    /// A worker leaves: its queued actors go to the other workers.
    pub(super) fn leave(&self, worker_shared: &WorkerShared, system: &Shared) {
        let mut all_shared = self
            .all_shared
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        all_shared.retain(|other| !std::ptr::eq(&**other, worker_shared));
        drop(all_shared);
        self.put_back(worker_shared);
        self.common.extend(worker_shared.queue.take_all());
        // Even if its own queue was empty: it may have been woken for work that it now leaves to
        // another.
        if self.has_work() {
            system.idle.sleepers.wake_one();
        }
    }
}
