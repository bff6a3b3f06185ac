//! The report as a page: nothing in it comes from elsewhere.

use super::Outcome;
use crate::load::Kind;
use example_load::{chart, page};
use maud::html;
use strum::VariantArray;

/// The outcome as a page.
pub fn html(outcome: &Outcome) -> String {
    let Outcome {
        plan,
        loaded,
        tally,
        audit,
        ..
    } = outcome;
    let body = html! {
        p {
            (loaded.customers) " customers and " (loaded.flights) " flights, each an actor, on " (outcome.workers)
            " workers. " (plan.connections) " users sent " (plan.rate) " requests a second for "
            (format_args!("{:?}", plan.duration)) " over HTTP, seed " (plan.seed) ". " (tally.count())
            " were answered. A latency counts from the moment at which a request was due, whether or not it could be \
             sent then."
        }
        (outcome.table())
        .charts { @for kind in Kind::VARIANTS { (chart(kind.name(), tally.kind(*kind))) } }
        p { "Bars: requests by latency. Lines: p50, p99 and p99.9." }
        p {
            (tally.confirmed.booked.len()) " flights booked (" (tally.round_trips) " trips out and back), "
            (tally.confirmed.cancelled.len()) " cancelled, " (tally.sold_out) " refused because the flight was full."
        }
        @if let Some(restored) = &outcome.restored { p { (restored) "." } }
        @if let Some(snapshots) = &outcome.snapshots { p { (snapshots) "." } }
        p {
            "Audit of " (audit.flights) " flights with " (audit.seats_taken) " seats taken and " (audit.customers)
            " customers with " (audit.bookings) " bookings: "
            @if audit.holds() { "no seat was sold twice, and every booking has its seat" }
            @else { span .bad { "failed" } }
            "."
        }
    };
    page("Acme Air on Vivant", &body, &outcome.complaints())
}
