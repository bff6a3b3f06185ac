//! The report for programs: one line of JSON.

use super::Outcome;
use crate::load::{Kind, SLOW_MS};
use crate::snapshots::{Figures, Restored};
use example_load::Latency;
use serde_json::{Map, Value, json};
use std::time::Duration;
use strum::VariantArray;

/// The outcome in one line.
pub fn json(outcome: &Outcome) -> Value {
    let Outcome {
        plan,
        loaded,
        tally,
        audit,
        ..
    } = outcome;
    let kinds: Map<String, Value> = Kind::VARIANTS
        .iter()
        .map(|it| (it.name().to_owned(), latencies(tally.kind(*it))))
        .collect();
    json!({
        "good": outcome.is_good(),
        "customers": loaded.customers,
        "flights": loaded.flights,
        "workers": outcome.workers,
        "connections": plan.connections,
        "rate": plan.rate,
        "seconds": plan.duration.as_secs_f64(),
        "seed": plan.seed,
        "answered": tally.count(),
        "answered_per_second": tally.rate(),
        "loops": tally.loops,
        "unexpected": tally.unexpected,
        "unsent": tally.unsent,
        "panics": outcome.panics,
        "booked": tally.confirmed.booked.len(),
        "round_trips": tally.round_trips,
        "cancelled": tally.confirmed.cancelled.len(),
        "sold_out": tally.sold_out,
        "all": latencies(&tally.total()),
        "requests": kinds,
        "audit": audit.json(),
        "restored": outcome.restored.as_ref().map(Restored::json),
        "snapshots": outcome.snapshots.as_ref().map(Figures::json),
    })
}

fn latencies(latency: &Latency) -> Value {
    let it = latency.summary();
    let mut value = json!({
        "count": it.count,
        "mean_us": latency.mean_ns() / 1000.0,
        "p50_us": it.p50_ns / 1000,
        "p99_us": it.p99_ns / 1000,
        "p99_9_us": it.p99_9_ns / 1000,
        "p99_99_us": it.p99_99_ns / 1000,
        "max_us": it.max_ns / 1000,
    });
    for limit in SLOW_MS {
        value[format!("over_{limit}_ms")] = latency.over(Duration::from_millis(limit)).into();
    }
    value
}
