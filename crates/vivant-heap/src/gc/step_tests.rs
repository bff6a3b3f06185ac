//! Tests of [`Heap::step`] that need no random programs: what a step reports, and what it counts
//! for.

use super::budget::Budget;
use super::reason::{GcReason, Request, StepContext};
use super::report::{EdgesListed, MarkChange, Next, StepReport};
use super::stress::{Stress, When};
use crate::mark::mark_reason::ReleasedExports;
use crate::{DetachedStep, Gc, GcPhase, Heap, Leaf, Pacing, PageSource, Progress, Root, Val};
use std::sync::Arc;

const IDLE_AFTER_NS: u64 = 1_000;

/// Fillers of a heap that is marked concurrently.
const LARGE: usize = 300;

struct Things;

impl Root for Things {
    type Of<'gc> = (Vec<Gc<'gc, [u64; 200]>>, Vec<Gc<'gc, Leaf<Arc<()>>>>);
}

fn things(pacing: Pacing, large: usize, tokens: usize) -> Heap<Things> {
    let source = Arc::new(PageSource::new());
    Heap::new(&source, pacing, |m| {
        let fillers = (0..large).map(|_| m.alloc([7; 200])).collect();
        let tokens = (0..tokens).map(|_| m.alloc(Leaf(Arc::default()))).collect();
        (fillers, tokens)
    })
}

fn at(now_ns: u64, turns: u64) -> StepContext<'static> {
    StepContext {
        now_ns,
        turns,
        idle_after_ns: IDLE_AFTER_NS,
        ..StepContext::UNTIMED
    }
}

#[test]
fn an_idle_check_of_a_heap_that_never_collects_ends() {
    let never = Pacing::new().stressed(Stress::new(When::Never, 1));
    let mut heap = things(never, 0, 1);
    let mut now_ns = 1;
    let _report = heap.step(
        &at(now_ns, 1),
        GcReason::TurnEnd,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
    for _ in 0..10 {
        now_ns += 100 * IDLE_AFTER_NS;
        let mut budget = Budget::BETWEEN_TURNS;
        let steps = (0..20).map(|_| heap.step(&at(now_ns, 1), GcReason::IdleCheck, &mut budget));
        let reports: Vec<_> = steps
            .take_while(|report| report.next == Next::Again)
            .collect();
        assert!(reports.len() < 10, "{:?}", reports.last());
    }
    assert_eq!(heap.stats().major, 0);
}

#[test]
fn edges_are_listed_only_if_the_last_mark_has_listed_them() {
    for (first, then, listed) in [
        (Request::MarkEdges, Request::Mark, EdgesListed::No),
        (Request::Mark, Request::MarkEdges, EdgesListed::Yes),
    ] {
        let mut heap = things(Pacing::new(), LARGE, 0);
        let mut step =
            |request, mut budget| heap.step(&at(1, 1), GcReason::Requested(request), &mut budget);
        let begun = step(first, Budget::BETWEEN_TURNS);
        assert_eq!(begun.mark, Some(MarkChange::Begun));
        let ended = step(then, Budget::UNLIMITED);
        assert_eq!(
            (ended.mark, ended.edges),
            (Some(MarkChange::Ended), listed),
            "{first:?}"
        );
    }
}

#[test]
fn a_detached_heap_without_a_budget_reports_more_work() {
    let mut heap = things(Pacing::new(), LARGE, 0);
    heap.collect_young();
    heap.collect_young();
    let held = heap.turn(|m, _| m.hold(m.val(4)));
    let mut detached = heap.end().expect("one is held");
    drop(held);
    for _ in 0..1_000_000 {
        detached = match detached.step(&mut 0) {
            DetachedStep::HasWork(detached) => detached,
            DetachedStep::Idle(_) => panic!("no other heap refers to its objects"),
            DetachedStep::Freed => return,
        };
    }
    panic!("it has no end");
}

/// Steps as a runtime does, until no step is to follow at once.
fn steps(heap: &mut Heap<Things>, context: &StepContext<'_>, reason: GcReason) -> StepReport {
    let mut budget = Budget::BETWEEN_TURNS;
    loop {
        let report = heap.step(context, reason, &mut budget);
        if report.next != Next::Again {
            return report;
        }
    }
}

fn ends_mark(heap: &mut Heap<Things>, context: &StepContext<'_>) {
    while heap.help_mark(100) == Progress::More {}
    while heap.phase() != GcPhase::Idle {
        let _report = steps(heap, context, GcReason::Continue);
    }
}

#[test]
fn a_request_during_a_mark_does_not_change_the_reason_of_that_mark() {
    let history = |requests: bool| {
        let mut heap = things(Pacing::new(), LARGE, 0);
        let _begun = steps(&mut heap, &at(1, 1), GcReason::Requested(Request::Mark));
        ends_mark(&mut heap, &at(2, 1));
        let _check = steps(&mut heap, &at(3, 2), GcReason::TurnEnd);
        assert_eq!(heap.phase(), GcPhase::Idle);
        let idle = at(100 * IDLE_AFTER_NS, 2);
        let begun = steps(&mut heap, &idle, GcReason::IdleCheck);
        assert_eq!(begun.phase, GcPhase::Mark, "for garbage of its own turns");
        if requests {
            let _none = steps(&mut heap, &idle, GcReason::Requested(Request::Mark));
        }
        ends_mark(&mut heap, &idle);
        format!("{:?}", heap.core().mark_history)
    };
    assert_eq!(history(true), history(false));
}

#[test]
fn a_mark_that_aborts_another_has_taken_the_released_exports_into_account() {
    let mut heap = things(Pacing::new(), LARGE, 0);
    let held = heap.turn(|m, _| m.pack::<Val<'static, u64>>(m.val(4)));
    let _begun = steps(&mut heap, &at(1, 1), GcReason::Requested(Request::Mark));
    assert_eq!(heap.phase(), GcPhase::Mark);
    drop(held);
    let _drained = steps(&mut heap, &at(2, 64), GcReason::TurnEnd);
    assert_eq!(heap.core().idle_check.released, ReleasedExports::Some);
    let all = GcReason::Requested(Request::Mark);
    let _report = heap.step(&at(3, 64), all, &mut Budget::UNLIMITED.clone());
    assert_eq!((heap.stats().aborted, heap.stats().exports), (1, 0));
    assert_eq!(heap.core().idle_check.released, ReleasedExports::None);
    assert!(heap.core().mark_history.began_after(64));
}

#[test]
fn a_mark_that_stress_replaces_still_lists_its_edges() {
    let all = Pacing::new().stressed(Stress::new(When::All, 1));
    let mut heap = things(all, LARGE, 0);
    let edges = GcReason::Requested(Request::MarkEdges);
    let begun = steps(&mut heap, &at(1, 1), edges);
    assert_eq!((begun.phase, begun.edges), (GcPhase::Mark, EdgesListed::No));
    let ended = heap.step(
        &at(2, 1),
        GcReason::Continue,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
    assert_eq!(
        (ended.mark, ended.edges),
        (Some(MarkChange::Ended), EdgesListed::Yes)
    );
    let next = heap.step(
        &at(3, 1),
        GcReason::Paced,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
    assert_eq!(next.edges, EdgesListed::No, "no mark was to list them");
}
