//! One run of an actor on a worker: signals first, then messages, until no work is left or the
//! budget is spent (T6).

use super::run_guard::{After, NextMessage, RunGuard};
use crate::actor::{Envelope, Runnable, Signals, Worker};
use crate::config::RunBudget;
use crate::failures::{Caught, StopReason, catch};
use crate::failures::{Inside, Panic};
#[cfg(test)]
use crate::injected_fault::InjectedFault;
use crate::interned::Name;

/// How a run ended.
#[must_use = "an actor that is not requeued will never run again"]
pub(crate) enum Ran {
    /// No work is left, and the next message enqueues the actor; or the actor has ended.
    Parked,
    /// The budget is spent. The caller puts the actor at the end of a run queue.
    Requeue(Runnable),
    /// A group mark waits for the actor's heap. The caller passes the actor to the detector, then
    /// puts it at the end of a run queue.
    Visit(Runnable),
    /// The actor is down, and its last state is to be loaded. The caller passes it on to what loads
    /// the state.
    Load(Runnable),
}

/// Runs an actor that came out of a run queue.
pub(crate) fn run(actor: Runnable, worker: &Worker, budget: RunBudget) -> Ran {
    match catch(|| run_to_panic(actor, worker, budget)) {
        Ok(ran) => ran,
        Err(caught) => rescue(worker, caught),
    }
}

/// As `run`, but a panic passes through: the caller has one `catch` around many runs, and calls
/// `rescue`.
#[inline]
pub(crate) fn run_to_panic(actor: Runnable, worker: &Worker, budget: RunBudget) -> Ran {
    serve(RunGuard::begin(actor, worker), budget)
}

/// Handles a panic of user code in a turn, in the drop of a message, or in a subscriber. The panic
/// may have left the actor's state or its messages half changed, so the actor ends; its worker
/// continues. A guard changes nothing, so after the panic of a guard its message runs, unless
/// synchronizers constrain it.
#[cold]
pub(crate) fn rescue(worker: &Worker, caught: Caught) -> Ran {
    let Some(mut held) = RunGuard::after_panic(worker) else {
        return Ran::Parked;
    };
    let ran = match held.take_last_evaluated() {
        Some(envelope) if held.constrains(&envelope) => {
            held.fail_constrained(envelope, &caught);
            Err(caught)
        }
        Some(envelope) => catch(|| turn(&mut held, envelope)).map(|_pace| ()),
        None => Err(caught),
    };
    if let Err(caught) = ran
        && let Err(second) = catch(|| held.end_after_panic(caught))
    {
        // Nothing more can be done for this actor; the worker survives.
        let inside = Inside {
            actor: held.actor().path(),
            behaviour: Name::new("the end of the actor"),
        };
        held.actor()
            .system
            .reports
            .panicked(&Panic::of(inside, second));
    }
    if !held.has_ended() {
        // The actor continues with another state, or with the same one.
        if held.awaits_last_state() {
            return Ran::Load(held.release());
        }
        return Ran::Requeue(held.release());
    }
    held.leave();
    Ran::Parked
}

#[inline(never)]
fn serve(mut held: RunGuard<'_>, budget: RunBudget) -> Ran {
    held.begin_pass();
    let oracle = &held.worker.system.oracle;
    let mut began_ms = oracle.coarse_ms();
    let until_ms = began_ms.saturating_add(budget.ms);
    let mut messages = 0;
    let (mut turn_began_ms, mut longest_ms) = (began_ms, 0);
    let watch = held.begin_measure();
    let mut end = RunEnd::Run;
    loop {
        handle_signals(&mut held, &mut end);
        if end == RunEnd::VisitNow {
            held.add_busy(oracle.coarse_ms() - began_ms);
            return visit(held);
        }
        while held.takes_messages() {
            let now_ms = oracle.coarse_ms();
            if messages >= budget.messages || now_ms >= until_ms {
                longest_ms = longest_ms.max(now_ms - turn_began_ms);
                if !held.has_more() {
                    break;
                }
                held.add_busy(now_ms - began_ms);
                held.update_worker_class(longest_ms, &watch);
                return match end {
                    RunEnd::Run => Ran::Requeue(held.release()),
                    RunEnd::VisitNow | RunEnd::VisitAfterTurn => visit(held),
                };
            }
            turn_began_ms = now_ms;
            messages += 1;
            #[cfg(test)]
            if held.has_bug_between_steps(InjectedFault::FreeSteps) {
                messages -= 1;
            }
            match held.next() {
                NextMessage::Nothing | NextMessage::Held => break,
                NextMessage::More => {}
                NextMessage::Message(envelope) => {
                    if turn(&mut held, envelope) == AfterTurn::Pause {
                        messages = budget.messages;
                    }
                }
            }
            handle_signals(&mut held, &mut end);
            if end != RunEnd::Run {
                messages = budget.messages;
            }
        }
        if held.awaits_last_state() {
            // Before it can enter a pass without that state.
            held.add_busy(oracle.coarse_ms() - began_ms);
            return match end {
                RunEnd::Run => Ran::Load(held.release()),
                RunEnd::VisitNow | RunEnd::VisitAfterTurn => visit(held),
            };
        }
        // Before the last check: a destructor may drop the actor's last address.
        held.counts_end();
        if !held.is_ending() && held.is_unreferenced() {
            held.counts_begin();
            held.enter_pass_unreferenced();
            held.end(StopReason::Unreferenced);
            if !held.has_ended() {
                // It waits for its stop hook.
                held.counts_end();
            }
        }
        let now_ms = oracle.coarse_ms();
        held.add_busy(now_ms - began_ms);
        began_ms = now_ms;
        if held.has_ended() {
            held.leave();
            return Ran::Parked;
        }
        held.update_worker_class(longest_ms, &watch);
        if end != RunEnd::Run {
            return visit(held);
        }
        match held.park() {
            Ok(()) => return Ran::Parked,
            Err(again) => held = again,
        }
    }
}

/// Whether the run continues after a turn, as far as the turn decides.
#[derive(PartialEq, Eq)]
enum AfterTurn {
    Continue,
    Pause,
}

#[inline]
fn turn(held: &mut RunGuard<'_>, envelope: Envelope) -> AfterTurn {
    match held.process(envelope) {
        After::Next => return AfterTurn::Continue,
        After::Pause => return AfterTurn::Pause,
        After::End(reason) => held.end_incarnation(reason),
    }
    AfterTurn::Continue
}

/// What comes after the run.
#[derive(PartialEq, Eq)]
enum RunEnd {
    /// The next run.
    Run,
    /// A visit of the heap by a group mark, at once.
    VisitNow,
    /// A visit of the heap after the next turn, if there is a message: the actor has had none since
    /// the last visit.
    VisitAfterTurn,
}

/// Ends the run with a visit, unless the actor has ended.
#[cold]
fn visit(mut held: RunGuard<'_>) -> Ran {
    if held.has_ended() {
        return Ran::Requeue(held.release());
    }
    held.owner().cold().visited_at = Some(held.actor().facts.turns());
    Ran::Visit(held.release())
}

/// Handles the signals. They come before messages and reach muted actors too.
#[inline(always)]
fn handle_signals(held: &mut RunGuard<'_>, end: &mut RunEnd) {
    #[cfg(test)]
    if held.has_bug_between_steps(InjectedFault::DeafSteps) {
        return;
    }
    let signals = held.signals();
    if signals != Signals::default() {
        handle(held, signals, end);
    }
}

#[cold]
fn handle(held: &mut RunGuard<'_>, signals: Signals, end: &mut RunEnd) {
    if held.has_ended() {
        return;
    }
    // First: it may have been held, or had to rest, while it was muted.
    if signals.has(Signals::UNMUTE) {
        held.unmute();
    }
    let signals = match signals.has(Signals::SYNCHRONIZE) || held.owner().is_constrained() {
        true => held.synchronize_before(signals),
        false => signals,
    };
    if signals.has(Signals::SHUTDOWN) {
        held.end(StopReason::Shutdown);
        if signals.has(Signals::ABORT) && !held.has_ended() {
            held.after_stop_hook();
        }
    } else if signals.has(Signals::STOP) {
        let reason = held.owner().stopped_by();
        held.end(reason);
    } else if signals.has(Signals::UNREACHABLE) {
        held.end(StopReason::Unreachable);
    } else {
        if signals.has(Signals::HALT) {
            held.halt(signals.halt_number());
        }
        if signals.has(Signals::START) {
            held.start_incarnation();
        }
    }
    if signals.has(Signals::VISIT) && !held.has_ended() {
        let turns = held.actor().facts.turns();
        *end = match held.owner().cold().visited_at == Some(turns) {
            true => RunEnd::VisitAfterTurn,
            false => RunEnd::VisitNow,
        };
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use crate::actor::Signals;
    use crate::prelude::*;
    use crate::simulation::Simulation;
    use crate::sync::{Arc, AtomicUsize, Ordering};

    #[derive(Actor)]
    struct Counter {
        turns: Arc<AtomicUsize>,
    }

    #[behaviours]
    impl Counter {
        fn count(&mut self) {
            self.turns.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Without a turn between two visits, an actor that a group mark waits for again and again
    /// would never handle a message.
    #[test]
    fn an_actor_has_a_turn_between_two_visits() {
        const TURNS: usize = 8;
        let simulation = Simulation::new(1);
        let turns = Arc::new(AtomicUsize::new(0));
        let counter = simulation.system().spawn(Counter {
            turns: turns.clone(),
        });
        simulation.run();
        (0..TURNS).for_each(|_| counter.count().send());
        let cell = Address::link(&counter).to.cell();
        let steps = (1..=10 * TURNS).find(|_| {
            cell.signal(Signals::VISIT);
            simulation.step() && turns.load(Ordering::Relaxed) == TURNS
        });
        assert!(steps.is_some());
    }
}
