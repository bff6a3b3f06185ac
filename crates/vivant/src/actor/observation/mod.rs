//! The seam of observations: what a turn learns besides its message, its state, and the time and
//! chance that come from the oracle.
//!
//! A turn that asks whether an actor is alive, or which actor has a name, gets an answer that other
//! actors decide. All such answers pass through [`observed`]; `README.md` has the table of them. A
//! recording of a run must hold them, and in a consistent cut no turn before the cut may have seen
//! an entry of after it.
//!
//! Today the function returns the answer as it is, and costs nothing. Guards and polls of futures
//! are turns here. Outside of a turn it observes nothing.

mod answer;
mod kind;
#[cfg(all(test, feature = "macros"))]
mod record;
#[cfg(all(test, feature = "macros"))]
mod tests;

pub(crate) use answer::{Answer, Answered};
pub(crate) use kind::{Changed, Entry, Observation, Source, Table};

use super::worker::Worker;
use kind::SourceData;

/// Whether observations are recorded: in this crate's unit tests.
const RECORDED: bool = cfg!(all(test, feature = "macros"));

/// Passes the answer of an observation to the turn that makes it.
///
/// `source` is read under the lock under which the answer was read, if there is one.
#[inline(always)]
pub(crate) fn observed<A: Answer>(kind: Observation, source: Source<'_>, answer: A) -> A {
    if RECORDED && Worker::with_current(Worker::inside_turn) == Some(true) {
        record(kind, source.data(), answer.data());
    }
    if kind.may_cross_line() && Worker::with_current(|_| ()).is_some() {
        learns(kind, &source);
    }
    answer
}

/// L8: the source may have an entry of behind the line.
fn learns(kind: Observation, source: &Source<'_>) {
    if let (Observation::Alive | Observation::Send | Observation::Attach, Source::Actor(actor)) =
        (kind, source)
    {
        // That an actor is alive is no news, and that it has ended is, if it did so behind the
        // line.
        let Some(ended_in) = actor.ended_in() else {
            return;
        };
        if Worker::of(&actor.system, |worker| ended_in <= worker.pass().phase()) == Some(true) {
            return;
        }
    }
    match source {
        Source::Entry(entry) => match entry.changed() {
            Changed::Unknown => Worker::all_may_know_news(),
            Changed::Never => {}
            Changed::In(system, phase) => Worker::may_know_news_of(system, phase),
        },
        Source::Actor(_) | Source::Table(_) => Worker::all_may_know_news(),
    }
}

#[cold]
fn record(kind: Observation, source: SourceData, answer: Answered) {
    #[cfg(all(test, feature = "macros"))]
    record::add(kind, source, answer);
    #[cfg(not(all(test, feature = "macros")))]
    let _ = (kind, source, answer);
}
