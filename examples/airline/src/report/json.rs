//! The report for programs: one line of JSON.

use super::Outcome;
use crate::load::{Kind, KindTally, SLOW_MS};
use serde_json::{Map, Value, json};

/// The outcome in one line.
pub fn json(outcome: &Outcome) -> String {
    let Outcome {
        plan,
        loaded,
        tally,
        audit,
        ..
    } = outcome;
    let kinds: Map<String, Value> = Kind::ALL
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
        "booked": tally.told.booked.len(),
        "round_trips": tally.round_trips,
        "cancelled": tally.told.cancelled.len(),
        "sold_out": tally.sold_out,
        "all": latencies(&tally.total()),
        "requests": kinds,
        "audit": {
            "holds": audit.holds(),
            "flights": audit.flights,
            "customers": audit.customers,
            "seats_taken": audit.seats_taken,
            "bookings": audit.bookings,
            "findings": audit.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        },
    })
    .to_string()
}

fn latencies(tally: &KindTally) -> Value {
    let slow: Map<String, Value> = SLOW_MS
        .iter()
        .zip(tally.slow())
        .map(|(limit, count)| (format!("over_{limit}_ms"), count.into()))
        .collect();
    let mut value = json!({
        "count": tally.count(),
        "p50_us": tally.quantile_us(0.5),
        "p99_us": tally.quantile_us(0.99),
        "p99_9_us": tally.quantile_us(0.999),
        "max_us": tally.max_us(),
    });
    if let Value::Object(fields) = &mut value {
        fields.extend(slow);
    }
    value
}
