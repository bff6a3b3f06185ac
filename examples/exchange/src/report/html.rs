//! The report as a page, without external resources.

use super::Outcome;
use super::table::ns;
use example_load::{chart, page, readable};
use maud::html;

/// The outcome as a page.
#[must_use]
pub fn html(outcome: &Outcome) -> String {
    let Outcome {
        plan,
        settings,
        sent,
        audit,
        system,
        race,
    } = outcome;
    let most = audit.hand_overs.iter().map(|it| it.resting).max();
    let body = html! {
        p {
            (settings.symbols) " instruments, each a book of collected objects in a region of its own; "
            (settings.traders) " traders, " (settings.readers) " readers of market data, " (system.workers)
            " workers. " (plan.rate) " orders a second were due for " (format_args!("{:?}", plan.duration)) ", seed "
            (plan.seed) "; " (sent.answers) " were answered. A latency counts from the moment at which an order was \
            due, whether or not it could be sent then; how late the sending thread was is the first row."
        }
        (outcome.table())
        .charts { @for (name, latency) in outcome.latencies() { (chart(name, latency)) } }
        p { "Bars: orders by latency. Lines: p50, p99 and p99.9." }
        p {
            (audit.trades) " trades; " (audit.resting) " orders rest. " (audit.versions) " versions of market data were \
            published and read " (audit.read) " times, with " (audit.look_ups) " look-ups. " (audit.hand_overs.len())
            " instruments were handed over to other shards while orders came, with up to " (most.unwrap_or(0))
            " orders in them: " (readable(ns(outcome.hand_over_median()))) " from turn to turn in the middle, "
            (readable(ns(outcome.hand_over_longest()))) " at most."
        }
        p {
            "Audit of " (audit.orders) " orders, " (audit.trades) " trades and " (audit.versions) " versions: "
            @if audit.holds() {
                "every share and every coin is accounted for, first come was first served, and no reader missed a \
                version"
            } @else { span .bad { "failed" } }
            "."
        }
        @if let Some(race) = race {
            h2 { "The same book, built otherwise" }
            p {
                "One thread, " (race.course.orders) " orders, " (race.trades) " trades, " (race.resting)
                " orders rest at the end; " (race.course.rounds) " runs of each in turn. All came to the state "
                (race.digest) "."
            }
            (race.table())
        }
    };
    page("An exchange on Vivant", &body, &outcome.complaints())
}
