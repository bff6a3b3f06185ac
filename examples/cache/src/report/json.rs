//! The report for programs: one line of JSON.

use super::{Observed, Outcome, Run};
use serde_json::{Map, Value, json};

/// The outcome in one line.
#[must_use]
pub fn json(outcome: &Outcome) -> Value {
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
}

fn run(run: &Run) -> Value {
    let tally = &run.tally;
    let met = json!({
        "hits": tally.hits,
        "misses": tally.misses,
        "unexpected": tally.unexpected,
        "bytes": tally.bytes,
        "took_seconds": tally.took.as_secs_f64(),
        "filled_in_seconds": run.filled_in.map(|it| it.as_secs_f64()),
        "latencies": {
            "due to sent": tally.sent.summary(),
            "due to answered": tally.answered.summary(),
            "due to answered, misses": tally.missed.summary(),
        },
    });
    let all = [Some(met), run.observed.as_ref().map(observed)];
    let fields = all.into_iter().flatten().filter_map(fields);
    fields.flatten().collect()
}

/// The fields of servers with statistics.
fn observed(observed: &Observed) -> Value {
    let audit = &observed.audit;
    json!({
        "store": observed.after.store,
        "heap_under_load": observed.under_load,
        "cpu_ns_under_load": observed.cpu_ns,
        "stats_before": observed.before,
        "stats": observed.after,
        "audit": {
            "holds": audit.holds(),
            "entries": audit.entries,
            "findings": audit.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        },
    })
}

fn fields(object: Value) -> Option<Map<String, Value>> {
    match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}
