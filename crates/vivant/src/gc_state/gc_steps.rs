//! Steps of an actor's collector: each is recorded as a pause, and its report is carried out.

use super::GcState;
use super::collected::ActorHeap;
use super::deaths::DeathNotices;
use super::edge_snapshot::EdgeSnapshot;
use super::gc_messages;
use super::group_candidates::{AnyTags, GroupCall, GroupCandidates};
use super::marks::ConcurrentMarks;
use crate::actor::DelayedMessage;
use crate::actor::Worker;
use crate::api::Actor;
use crate::candidates::ActorKey;
use crate::observe;
use crate::services::Delayed;
use crate::services::ns;
use crate::statistics::HeapCounts;
use std::mem;
use vivant_heap::{
    Budget, CyclesSuspected, EdgesListed, GcPhase, GcReason, Leaf, MarkChange, Next, Object,
    StepContext, StepReport,
};

/// A container of `std` with more elements is reported: each minor collection takes a tenth of a
/// millisecond for it.
const CONTAINER_ELEMENTS_MAX: usize = 65_536;

impl<A: Actor<Storage = GcState>> ActorHeap<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    /// Does the collector's work for `reason`, step by step.
    #[cold]
    pub(super) fn collect(&mut self, worker: &Worker, counts: &HeapCounts, reason: GcReason) {
        if reason == GcReason::TurnEnd && self.heap.has_gc_work() {
            self.report_large_turn(worker);
        }
        self.take_released_roots();
        let mut budget = Budget::BETWEEN_TURNS;
        loop {
            let report = self.step(worker, counts, reason, &mut budget);
            if let Some(in_ns) = report.check_in_ns {
                self.waker.schedule_check(in_ns);
            }
            match report.next {
                Next::Again => {}
                // The message comes behind those that wait already.
                Next::Later if !mem::replace(&mut self.continue_sent, true) => {
                    return gc_messages::send_continue::<A>(worker.me());
                }
                Next::Later | Next::Done | Next::Released => return,
            }
        }
    }

    /// Reports a turn that has allocated much. Called before the nursery is emptied.
    fn report_large_turn(&self, worker: &Worker) {
        let (young, system) = (self.heap.young_bytes(), &worker.system);
        if young > system.config.allocation_limit {
            let reports = &system.reports;
            reports.large_turn(worker.path(), worker.behaviour(), young as u64);
        }
    }

    /// One step. If it did any work, its duration is published as a pause.
    fn step(
        &mut self,
        worker: &Worker,
        counts: &HeapCounts,
        reason: GcReason,
        budget: &mut Budget,
    ) -> StepReport {
        let system = &worker.system;
        let (oracle, clock) = (&system.oracle, system.config.pause_clock);
        let began_ns = oracle.now_ns();
        let began = clock.read(oracle, began_ns);
        let context = StepContext {
            now_ns: began_ns,
            clock: &|| oracle.now_ns(),
            turns: self.turns,
            idle_after_ns: ns(system.config.idle_after),
        };
        let report = self.heap.step(&context, reason, budget);
        if let Some(kind) = report.pause {
            let paused_ns = clock.read(oracle, oracle.now_ns()) - began;
            let stats = self.heap.stats();
            counts.record_step(kind, paused_ns, &stats);
            if stats.largest_container >= CONTAINER_ELEMENTS_MAX
                && !mem::replace(&mut self.container_reported, true)
            {
                let elements = stats.largest_container;
                system.reports.large_container(worker.path(), elements);
            }
            system.pauses.add(kind, paused_ns);
            let type_name = || worker.with_me(|actor| actor.class.name);
            observe::paused(type_name, &system.meters, kind, paused_ns);
        }
        self.carry_out(worker, reason, &report);
        report
    }

    /// Updates the system's list of running marks, and takes the results of a mark.
    fn carry_out(&mut self, worker: &Worker, reason: GcReason, report: &StepReport) {
        let system = &worker.system;
        if report.mark.is_some()
            && let Some(mark) = self.mark.take()
        {
            ConcurrentMarks::of(system).remove(&mark);
        }
        // A mark that a group mark has begun, and left to itself.
        let is_new = report.phase == GcPhase::Mark && self.mark.is_none();
        if report.mark == Some(MarkChange::Begun) || is_new {
            let (cell, send_continue) = (worker.me().cell(), gc_messages::send_continue::<A>);
            let marker = self.heap.marker();
            self.mark =
                marker.map(|marker| ConcurrentMarks::start(system, marker, cell, send_continue));
        }
        if let Some(mark) = &self.mark
            && report.pause.is_some()
            && report.phase == GcPhase::Mark
        {
            match reason {
                // A helper drained the mark queue before the turn's SATB buffer was flushed, at the
                // end of the turn.
                GcReason::Continue => ConcurrentMarks::of(system).enlist(system, mark),
                // The actor has flushed its SATB buffer, and put back the packets that it has not
                // scanned itself. Workers that looked for packets meanwhile found none, and sleep.
                GcReason::TurnEnd => ConcurrentMarks::of(system).enlist_if_needed(system, mark),
                _ => {}
            }
        }
        if report.edges == EdgesListed::Yes && !self.edge_snapshot.is_current(self.turns) {
            let heap = &mut self.heap;
            self.edge_snapshot = EdgeSnapshot::take(self.turns, |each| heap.show(each));
        }
        if report.cycles != CyclesSuspected::No {
            let key = worker.with_me(|actor| ActorKey {
                id: actor.id,
                place: actor.place(),
            });
            let tags = match self.heap.has_tags() {
                true => AnyTags::Yes,
                false => AnyTags::No,
            };
            let call = GroupCall {
                tags,
                suspected: report.cycles,
                emptied: self.heap.stats().emptied,
            };
            GroupCandidates::add(system, key, &call);
        }
        self.send_death_notices();
    }

    fn send_death_notices(&mut self) {
        let dead = self.heap.take_watches();
        if dead.is_empty() {
            return;
        }
        let take = |notices: &mut DeathNotices| -> Vec<DelayedMessage> {
            dead.iter()
                .filter_map(|&(watch, token)| notices.take(watch, token))
                .collect()
        };
        let due = self.heap.turn(|_, (_, _, Leaf(notices), _)| take(notices));
        due.into_iter().for_each(DelayedMessage::send);
    }
}
