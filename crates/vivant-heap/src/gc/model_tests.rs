//! Random programs of one actor's heap: turns, messages, time and helpers in any order. Each event
//! is compared with the model; in the end the heap must come to rest.

use super::budget::Budget;
use super::idle_check::notified_after_ns;
use super::model::{Event, Fate, fate, next_phases};
use super::phase::GcPhase;
use super::reason::{GcReason, Request, StepContext};
use super::report::{MarkChange, Next, StepReport};
use super::stress::{Chance, Stress, When};
use crate::injected_fault::InjectedFault;
use crate::mark::marker::{Marker, Progress};
use crate::mark::stats::MarkTally;
use crate::{
    Gc, Heap, HeapStats, Leaf, Marking, Mut, Pacing, PageSource, Parcel, Root, Val, programs,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Wake, Waker};

const IDLE_AFTER_NS: u64 = 1_000_000;

/// More steps than any call needs.
const MANY_STEPS: usize = 200;

/// More events than any heap needs to come to rest.
const MANY_EVENTS: usize = 50_000;

/// So many programs have marks of every kind and with every end.
const ENOUGH_SEEDS: u64 = 200;

type Filler = [u64; 200];

struct Things;

impl Root for Things {
    type Of<'gc> = (
        Gc<'gc, Mut<Vec<Gc<'gc, Filler>>>>,
        Vec<Gc<'gc, Leaf<Arc<()>>>>,
        Vec<Val<'gc, u64>>,
    );
}

fn things(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Things> {
    Heap::new(source, pacing, |m| {
        (m.alloc(Mut::new(Vec::new())), Vec::new(), Vec::new())
    })
}

/// A heap that refuses pages to some turns. The turn that makes it may be one of them.
fn refusing(source: &Arc<PageSource>, pacing: Pacing, seed: u64) -> Heap<Things> {
    let refuses = |seed| pacing.stressed(Stress::new(When::Paced, seed).refusing(200));
    let heap = |seed| catch_unwind(|| things(source, refuses(seed))).ok();
    (seed..).find_map(heap).expect("most turns get pages")
}

#[derive(Default)]
struct Calls(AtomicBool);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An actor's heap, and what its runtime keeps for it.
struct Actor {
    dice: Chance,
    heap: Heap<Things>,
    /// Another heap, for imports.
    other: Heap<Things>,
    held: Vec<Parcel<Val<'static, u64>>>,
    token: Arc<()>,
    tokens: usize,
    told: Arc<Calls>,
    now_ns: Cell<u64>,
    turns: u64,
    stepped: u64,
    check_ns: Option<u64>,
    continuations: usize,
    /// Whether the actor knows of a continuation message.
    continues: bool,
    marker: Option<Marker>,
}

impl Actor {
    fn new(seed: u64) -> Actor {
        let dice = Chance::new(seed);
        let source = Arc::new(PageSource::new());
        let marking = match dice.below(4) {
            0 => Marking::AtOnce,
            _ => Marking::Concurrent,
        };
        let pacing = Pacing::new()
            .nursery(8 << 10)
            .first(16 << 10)
            .marking(marking);
        let told = Arc::new(Calls::default());
        let mut heap = match dice.below(3) {
            0 => refusing(&source, pacing, seed),
            _ => things(&source, pacing),
        };
        heap.wake_by(Waker::from(told.clone()));
        Actor {
            dice,
            heap,
            other: things(&source, Pacing::new()),
            held: Vec::new(),
            token: Arc::default(),
            tokens: 0,
            told,
            now_ns: Cell::new(1),
            turns: 0,
            stepped: 0,
            check_ns: None,
            continuations: 0,
            continues: false,
            marker: None,
        }
    }

    /// Compares what an event has done with the model.
    fn compare(&mut self, event: Event, run: impl FnOnce(&mut Actor)) {
        let (phase, before) = (self.heap.phase(), self.heap.mark_tally());
        run(self);
        let (now, after) = (self.heap.phase(), self.heap.mark_tally());
        let may = next_phases(phase, event);
        assert!(may.contains(&now), "{phase:?} to {now:?} by {event:?}");
        let running = |tally: MarkTally| tally.begun - tally.ended - tally.aborted;
        let runs = matches!(now, GcPhase::Mark | GcPhase::Terminate);
        assert_eq!(running(after), u64::from(runs), "{event:?}: {after:?}");
        let aborted = after.aborted - before.aborted;
        let most = u64::from(fate(phase, event) == Fate::MayBeAborted);
        assert!(aborted <= most, "{phase:?} is aborted by {event:?}");
    }

    /// Steps the heap as a runtime does.
    fn steps(&mut self, reason: GcReason, budget: Budget) {
        let mut left = budget;
        for _ in 0..MANY_STEPS {
            let mut report = None;
            let event = match budget.is_unlimited() {
                true => Event::StepToEnd(reason),
                false => Event::Step(reason),
            };
            let before = self.heap.mark_tally();
            self.compare(event, |actor| {
                let clock = || {
                    actor.now_ns.set(actor.now_ns.get() + 50);
                    actor.now_ns.get()
                };
                let context = StepContext {
                    now_ns: clock(),
                    clock: &clock,
                    turns: actor.turns,
                    idle_after_ns: IDLE_AFTER_NS,
                };
                report = Some(actor.heap.step(&context, reason, &mut left));
            });
            let report = report.expect("one step was done");
            if self.carries_out(&report, before) == Next::Again {
                continue;
            }
            return;
        }
        panic!("{reason:?} has no end");
    }

    fn carries_out(&mut self, report: &StepReport, before: MarkTally) -> Next {
        let after = self.heap.mark_tally();
        assert_eq!(report.phase, self.heap.phase());
        let has_begun = after.begun > before.begun
            && matches!(report.phase, GcPhase::Mark | GcPhase::Terminate);
        assert_eq!(
            report.mark == Some(MarkChange::Begun),
            has_begun,
            "{report:?}"
        );
        match report.mark {
            Some(MarkChange::Begun) => self.marker = self.heap.marker(),
            Some(MarkChange::Ended) => self.marker = None,
            None => {}
        }
        assert_eq!(self.marker.is_some(), self.heap.marker().is_some());
        if let Some(in_ns) = report.check_in_ns {
            self.checks_in(in_ns);
        }
        if report.next == Next::Later && !self.continues {
            self.continues = true;
            self.continuations += 1;
        }
        report.next
    }

    fn checks_in(&mut self, in_ns: u64) {
        let at_ns = self.now_ns.get() + in_ns;
        self.check_ns = Some(self.check_ns.map_or(at_ns, |before| before.min(at_ns)));
    }

    fn hears_wakes(&mut self) {
        if self.told.0.swap(false, Ordering::Relaxed) {
            self.checks_in(notified_after_ns(IDLE_AFTER_NS));
        }
    }

    fn turn(&mut self) {
        if self.stepped != self.turns {
            self.stepped = self.turns;
            self.steps(GcReason::TurnEnd, Budget::BETWEEN_TURNS);
        }
        self.turns += 1;
        let kind = self.dice.below(8);
        let many = self.dice.below(60) as usize;
        let mut panicked = false;
        self.compare(Event::Turn, |actor| {
            let body = || actor.turn_body(kind, many);
            panicked = catch_unwind(AssertUnwindSafe(body)).is_err();
        });
        if panicked {
            self.checks_in(notified_after_ns(IDLE_AFTER_NS));
            return;
        }
        self.stepped = self.turns;
        if self.heap.needs_step(self.turns) {
            self.steps(GcReason::TurnEnd, Budget::BETWEEN_TURNS);
        }
    }

    fn turn_body(&mut self, kind: u64, many: usize) {
        let (heap, token) = (&mut self.heap, &self.token);
        match kind {
            0..3 => heap.turn(|m, (fillers, ..)| {
                for _ in 0..many {
                    let filler = m.alloc([7; 200]);
                    fillers.borrow_mut(m).push(filler);
                }
            }),
            3 => heap.turn(|m, (fillers, ..)| {
                let mut fillers = fillers.borrow_mut(m);
                let left = fillers.len() / 2;
                fillers.truncate(left);
            }),
            4 => {
                heap.turn(|m, (_, tokens, _)| tokens.push(m.alloc(Leaf(token.clone()))));
                self.tokens += 1;
            }
            5 => self.tokens -= heap.turn(|_, (_, tokens, _)| usize::from(tokens.pop().is_some())),
            6 => {
                let parcel = self
                    .other
                    .turn(|m, _| m.pack::<Val<'static, u64>>(m.val(3)));
                heap.turn(|m, (.., imports)| {
                    imports.push(m.unpack(parcel));
                    imports.truncate(3);
                });
            }
            _ => {
                let parcel = heap.turn(|m, _| m.pack::<Val<'static, u64>>(m.val(4)));
                self.held.push(parcel);
            }
        }
    }

    fn helps(&mut self, objects: usize) {
        let Some(marker) = self.marker.clone() else {
            return;
        };
        self.compare(Event::Outside, |actor| {
            let began_ns = actor.now_ns.get();
            actor.now_ns.set(began_ns + 10);
            marker.add_spent_ns(10);
            if marker.work(objects) == Progress::Drained {
                actor.continuations += 1;
            }
        });
    }

    fn idle_check(&mut self) {
        self.check_ns = None;
        self.told.0.store(false, Ordering::Relaxed);
        self.steps(GcReason::IdleCheck, Budget::BETWEEN_TURNS);
    }

    fn continuation(&mut self) {
        self.continuations -= 1;
        self.continues = false;
        self.steps(GcReason::Continue, Budget::BETWEEN_TURNS);
    }

    fn event(&mut self) {
        match self.dice.below(12) {
            0..5 => self.turn(),
            5 | 6 => {
                let objects = 1 + self.dice.below(100) as usize;
                self.helps(objects);
            }
            7 if self.continuations != 0 => self.continuation(),
            8 => {
                let later = self.dice.below(IDLE_AFTER_NS);
                self.now_ns.set(self.now_ns.get() + later);
            }
            9 => {
                let left = self.held.len() / 2;
                self.compare(Event::Outside, |actor| actor.held.truncate(left));
            }
            10 => self.on_demand(),
            _ => {}
        }
        self.hears_wakes();
        if self
            .check_ns
            .is_some_and(|at_ns| at_ns <= self.now_ns.get())
        {
            self.idle_check();
        }
    }

    fn on_demand(&mut self) {
        let (reason, budget) = match self.dice.below(12) {
            0 => (Request::Mark, Budget::UNLIMITED),
            1 => (Request::MarkEdges, Budget::UNLIMITED),
            2 => (Request::Mark, Budget::BETWEEN_TURNS),
            3 => (Request::Sweep, Budget::UNLIMITED),
            4 => (Request::Sweep, Budget::of_spans(2)),
            _ => (Request::Nursery, Budget::BETWEEN_TURNS),
        };
        self.steps(GcReason::Requested(reason), budget);
    }

    /// No turn comes any more: what the heap has asked for is done, until it asks for nothing.
    fn comes_to_rest(&mut self) {
        for _ in 0..MANY_EVENTS {
            self.hears_wakes();
            if self.continuations != 0 {
                self.continuation();
            } else if self.heap.phase() == GcPhase::Mark {
                assert!(self.marker.is_some(), "no thread can help");
                self.helps(500);
            } else if let Some(at_ns) = self.check_ns {
                self.now_ns.set(self.now_ns.get().max(at_ns));
                self.idle_check();
            } else {
                return self.is_at_rest();
            }
        }
        panic!("it does not come to rest: {:?}", self.heap.phase());
    }

    fn is_at_rest(&mut self) {
        assert_eq!(self.heap.phase(), GcPhase::Idle);
        assert_eq!(self.heap.verify(), Ok(()));
        assert_eq!(Arc::strong_count(&self.token), 1 + self.tokens, "tokens");
        let imports = self.heap.turn(|_, (.., imports)| imports.len());
        let stats: HeapStats = self.heap.stats();
        assert_eq!((stats.imports, stats.exports), (imports, self.held.len()));
        assert_eq!(self.heap.young_bytes(), 0, "the nursery is given back");
    }
}

/// One program. Returns the tally of its marks.
fn program(seed: u64) -> MarkTally {
    let mut actor = Actor::new(seed);
    let events = 30 + actor.dice.below(120);
    for _ in 0..events {
        actor.event();
    }
    // The last turn may have panicked.
    actor.turn();
    actor.comes_to_rest();
    // A heap that is dropped while other heaps refer to its objects leaks.
    actor.held.clear();
    let _released = actor.heap.drain_all();
    actor.heap.mark_tally()
}

#[test]
fn each_step_is_one_of_the_model_and_an_idle_heap_runs_out_of_work() {
    let [begun, ended, aborted, at_once] = [(); 4].map(|()| AtomicU64::new(0));
    let ran = programs::run(if cfg!(miri) { 1 } else { ENOUGH_SEEDS }, |seed| {
        let tally = program(seed);
        let count = |all: &AtomicU64, one| all.fetch_add(one, Ordering::Relaxed);
        count(&begun, tally.begun);
        count(&ended, tally.ended);
        count(&aborted, tally.aborted);
        count(&at_once, tally.major - tally.ended);
    });
    if ran >= ENOUGH_SEEDS {
        let all = [begun, ended, aborted, at_once].map(AtomicU64::into_inner);
        assert!(all.iter().all(|many| *many > 3), "{all:?}");
    }
}

#[test]
fn injected_faults_of_steps_are_caught() {
    let faults = [
        InjectedFault::LostContinuation,
        InjectedFault::LostCheck,
        InjectedFault::UnreportedMark,
    ];
    programs::catch(&faults, |seed| {
        program(seed);
    });
}
