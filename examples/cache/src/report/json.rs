//! The report for programs: one line of JSON.

use super::{Outcome, Run};
use serde_json::{Value, json};

/// The outcome in one line.
#[must_use]
pub fn json(outcome: &Outcome) -> String {
    let plan = &outcome.plan;
    json!({
        "good": outcome.is_good(),
        "titles": outcome.titles,
        "page_bytes": plan.pages.mean_bytes,
        "connections": plan.connections,
        "rate": plan.rate,
        "seconds": plan.duration.as_secs_f64(),
        "rounds": outcome.rounds,
        "seed": outcome.seed,
        "runs": outcome.runs.iter().map(run).collect::<Vec<_>>(),
    })
    .to_string()
}

fn run(run: &Run) -> Value {
    let Run { tally, audit, .. } = run;
    json!({
        "store": run.after.store,
        "hits": tally.hits,
        "misses": tally.misses,
        "bytes": tally.bytes,
        "took_seconds": tally.took.as_secs_f64(),
        "filled_in_seconds": run.filled_in.map(|it| it.as_secs_f64()),
        "latencies": {
            "due to sent": tally.sent.summary(),
            "due to answered": tally.answered.summary(),
            "due to answered, misses": tally.missed.summary(),
        },
        "heap_under_load": run.under_load,
        "cpu_ns_under_load": run.cpu_ns,
        "stats_before": run.before,
        "stats": run.after,
        "audit": {
            "holds": audit.holds(),
            "entries": audit.entries,
            "findings": audit.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        },
    })
}
