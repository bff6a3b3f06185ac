//! The report as a page: nothing in it comes from elsewhere.

use super::chart::chart;
use super::{Outcome, readable};
use crate::load::{Kind, KindTally, SLOW_MS};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --bars: #3b78c2; --mark: #c2473b; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
th:first-child, td:first-child { text-align: left; }
tr:last-child { font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem; }
svg { width: 100%; font: 10px system-ui, sans-serif; fill: currentColor; }
svg .title { font-size: 13px; font-weight: 600; }
svg .grid { stroke: currentColor; stroke-opacity: .12; }
svg .bars { fill: var(--bars); }
svg .mark { stroke: var(--mark); stroke-width: 1.5; }
.bad { color: var(--mark); font-weight: 600; }
";

/// The outcome as a page.
pub fn html(outcome: &Outcome) -> String {
    let Outcome {
        plan,
        loaded,
        tally,
        audit,
        ..
    } = outcome;
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Acme Air on Vivant: latency</title>\n<style>\n{STYLE}</style>\n\
         <h1>Acme Air on Vivant</h1>\n\
         <p>{} customers and {} flights, each an actor, on {} workers. {} users sent {} requests a second for {:?} over \
         HTTP, seed {}. {} were answered. A latency counts from the moment at which a request was due, whether or not it \
         could be sent then.</p>\n",
        loaded.customers,
        loaded.flights,
        outcome.workers,
        plan.connections,
        plan.rate,
        plan.duration,
        plan.seed,
        tally.count(),
    );
    // Writing to a string cannot fail.
    let _ = table(&mut page, outcome);
    page.push_str("<div class=\"charts\">\n");
    for kind in Kind::ALL {
        page.push_str(&chart(kind.name(), tally.kind(kind)));
    }
    page.push_str("</div>\n<p>Bars: requests by latency. Lines: p50, p99 and p99.9.</p>\n");
    let _ = writeln!(
        page,
        "<p>{} flights booked ({} trips out and back), {} cancelled, {} refused because the flight was full.</p>\n\
         <p>Audit of {} flights with {} seats taken and {} customers with {} bookings: {}.</p>",
        tally.told.booked.len(),
        tally.round_trips,
        tally.told.cancelled.len(),
        tally.sold_out,
        audit.flights,
        audit.seats_taken,
        audit.customers,
        audit.bookings,
        if audit.holds() {
            "no seat was sold twice, and every booking has its seat"
        } else {
            "<span class=\"bad\">failed</span>"
        },
    );
    for complaint in outcome.complaints() {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", escaped(&complaint));
    }
    page.push_str("</html>\n");
    page
}

fn table(page: &mut String, outcome: &Outcome) -> std::fmt::Result {
    write!(
        page,
        "<table>\n<tr><th>Request<th>Count<th>p50<th>p99<th>p99.9<th>max"
    )?;
    for limit in SLOW_MS {
        write!(page, "<th>&gt; {limit} ms")?;
    }
    writeln!(page)?;
    for kind in Kind::ALL {
        row(page, kind.name(), outcome.tally.kind(kind))?;
    }
    row(page, "All", &outcome.tally.total())?;
    writeln!(page, "</table>")
}

fn row(page: &mut String, name: &str, tally: &KindTally) -> std::fmt::Result {
    write!(page, "<tr><td>{name}<td>{}", tally.count())?;
    for share in [0.5, 0.99, 0.999] {
        write!(page, "<td>{}", readable(tally.quantile_us(share)))?;
    }
    write!(page, "<td>{}", readable(tally.max_us()))?;
    for count in tally.slow() {
        write!(page, "<td>{count}")?;
    }
    writeln!(page)
}

/// Answers of a server may contain anything.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
