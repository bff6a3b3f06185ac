//! The report as a page: nothing in it comes from elsewhere.

use super::chart::chart;
use super::table::ns;
use super::{Outcome, SHARES, readable};
use crate::race::Race;
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --bars: #3b78c2; --mark: #c2473b; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
th:first-child, td:first-child { text-align: left; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem; }
svg { width: 100%; font: 10px system-ui, sans-serif; fill: currentColor; }
svg .title { font-size: 13px; font-weight: 600; }
svg .grid { stroke: currentColor; stroke-opacity: .12; }
svg .bars { fill: var(--bars); }
svg .mark { stroke: var(--mark); stroke-width: 1.5; }
.bad { color: var(--mark); font-weight: 600; }
";

/// The outcome as a page.
#[must_use]
pub fn html(outcome: &Outcome) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>An exchange on Vivant: latency</title>\n<style>\n{STYLE}</style>\n\
         <h1>An exchange on Vivant</h1>\n"
    );
    // Writing to a string cannot fail.
    let _ = body(&mut page, outcome);
    if let Some(race) = &outcome.race {
        let _ = books(&mut page, race);
    }
    for complaint in outcome.complaints() {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", escaped(&complaint));
    }
    page.push_str("</html>\n");
    page
}

fn body(page: &mut String, outcome: &Outcome) -> std::fmt::Result {
    let Outcome {
        plan,
        settings,
        sent,
        audit,
        system,
        ..
    } = outcome;
    writeln!(
        page,
        "<p>{} instruments, each a book of collected objects in a region of its own; {} traders, {} readers of market data, {} workers. {} orders a \
         second were due for {:?}, seed {}; {} were answered. A latency counts from the moment at which an order was due, whether or not it could be \
         sent then; how late the sending thread was is the first row.</p>",
        settings.symbols,
        settings.traders,
        settings.readers,
        system.workers,
        plan.rate,
        plan.duration,
        plan.seed,
        sent.answers,
    )?;
    write!(page, "<table>\n<tr><th>Latency<th>Count")?;
    for (_, name) in SHARES {
        write!(page, "<th>{name}")?;
    }
    writeln!(page, "<th>max")?;
    for (name, latency) in outcome.latencies() {
        write!(page, "<tr><td>{name}<td>{}", latency.count())?;
        for (share, _) in SHARES {
            write!(page, "<td>{}", readable(latency.quantile_ns(share)))?;
        }
        writeln!(page, "<td>{}", readable(latency.max_ns()))?;
    }
    writeln!(page, "</table>\n<div class=\"charts\">")?;
    for (name, latency) in outcome.latencies() {
        page.push_str(&chart(name, latency));
    }
    writeln!(
        page,
        "</div>\n<p>Bars: orders by latency. Lines: p50, p99 and p99.9.</p>"
    )?;
    writeln!(
        page,
        "<p>{} trades; {} orders rest. {} versions of market data were published and read {} times, with {} look-ups. {} instruments were handed over \
         to other shards while orders came, with up to {} orders in them: {} from turn to turn in the middle, {} at most.</p>",
        audit.trades,
        audit.resting,
        audit.versions,
        audit.read,
        audit.look_ups,
        audit.hand_overs.len(),
        audit
            .hand_overs
            .iter()
            .map(|it| it.resting)
            .max()
            .unwrap_or(0),
        readable(ns(outcome.hand_over_median())),
        readable(ns(outcome.hand_over_longest())),
    )?;
    writeln!(
        page,
        "<p>Audit of {} orders, {} trades and {} versions: {}.</p>",
        audit.orders,
        audit.trades,
        audit.versions,
        if audit.holds() {
            "every share and every coin is accounted for, first come was first served, and no reader missed a version"
        } else {
            "<span class=\"bad\">failed</span>"
        },
    )
}

fn books(page: &mut String, race: &Race) -> std::fmt::Result {
    writeln!(
        page,
        "<h2>The same book, built otherwise</h2>\n<p>One thread, {} orders, {} trades, {} orders rest at the end; {} runs of each in turn. All came to \
         the state {}.</p>\n<table>\n<tr><th>Book<th>ns/order, median<th>fastest<th>to drop it",
        race.course.orders, race.trades, race.resting, race.course.rounds, race.digest,
    )?;
    for it in &race.times {
        writeln!(
            page,
            "<tr><td>{}<td>{:.1}<td>{:.1}<td>{}",
            escaped(it.entrant.name()),
            it.median_ns,
            it.least_ns,
            readable(ns(it.dropped)),
        )?;
    }
    writeln!(page, "</table>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
