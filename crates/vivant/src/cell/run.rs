//! One run of an actor on a worker: signals first, then messages, until nothing is left or the budget is spent (T6).

use super::held::{After, Held};
use super::{Caught, CellRef, Signals, catch};
use crate::error::{Inside, Panic};
use crate::scheduler::Worker;
use crate::stop::StopReason;

/// How long an actor may keep its worker while others wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Messages.
    pub(crate) messages: u32,
    /// Coarse milliseconds.
    pub(crate) ms: u64,
}

/// How the run ended.
#[must_use = "an actor that is not requeued will never run again"]
pub(crate) enum Ran {
    /// Nothing is left to do: the next message will enqueue it.
    Parked,
    /// The budget is spent: it belongs at the end of a run queue.
    Requeue(CellRef),
}

/// Runs the actor that came out of a run queue.
pub(crate) fn run(cell: CellRef, worker: &Worker, budget: Budget) -> Ran {
    let (held, signals) = Held::begin(cell, worker);
    match catch(|| serve(held, signals, budget)) {
        Ok(ran) => ran,
        Err(caught) => rescue(worker, caught),
    }
}

/// User code panicked where no turn was there to catch it: in the drop of a message, or in a subscriber. The actor's own
/// messages may be half dealt with, so it ends; its worker goes on.
fn rescue(worker: &Worker, caught: Caught) -> Ran {
    let mut held = Held::after_panic(worker);
    if let Err(second) = catch(|| held.end_after_panic(caught)) {
        // Nothing more can be done for this actor; its worker is worth keeping.
        let inside = Inside {
            actor: held.cell().path(),
            behaviour: "the end of the actor",
        };
        held.cell()
            .system
            .reports
            .panicked(&Panic::of(inside, second));
    }
    loop {
        match held.park() {
            Ok(()) => return Ran::Parked,
            // It has ended: there is nothing that it could be told.
            Err((again, _)) => held = again,
        }
    }
}

fn serve(mut held: Held<'_>, mut signals: Signals, budget: Budget) -> Ran {
    let system = held.cell().system.clone();
    let mut began_ns = system.oracle.now_ns();
    let began_ms = system.oracle.coarse_ms();
    let until_ms = began_ms.saturating_add(budget.ms);
    let mut messages = 0;
    loop {
        heed(&mut held, signals);
        while !held.is_muted() && !held.has_ended() {
            if messages >= budget.messages || system.oracle.coarse_ms() >= until_ms {
                if !held.has_more() {
                    break;
                }
                held.was_busy(system.oracle.now_ns() - began_ns);
                held.cell().run.requeue();
                return Ran::Requeue(held.release());
            }
            let Some(envelope) = held.next() else { break };
            messages += 1;
            match held.process(envelope) {
                After::Next => held.mute_if_asked(),
                After::End(reason) => held.end(reason),
            }
            let signals = held.look();
            heed(&mut held, signals);
        }
        if !held.has_ended() && held.is_forsaken() {
            held.end(StopReason::Unreferenced);
        }
        let now_ns = system.oracle.now_ns();
        held.was_busy(now_ns - began_ns);
        began_ns = now_ns;
        match held.park() {
            Ok(()) => return Ran::Parked,
            Err((again, told)) => (held, signals) = (again, told),
        }
    }
}

/// Signals come before messages and reach muted actors too.
fn heed(held: &mut Held<'_>, signals: Signals) {
    if held.has_ended() {
        return;
    }
    if signals.has(Signals::UNMUTE) {
        held.unmute();
    }
    if signals.has(Signals::SHUTDOWN) {
        held.end(StopReason::Shutdown);
    } else if signals.has(Signals::STOP) {
        held.end(StopReason::Stopped);
    }
}
