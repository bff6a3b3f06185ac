//! The report for programs: one line of JSON.

use super::Outcome;
use super::table::ns;
use crate::race::Race;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The outcome in one line.
#[must_use]
pub fn json(outcome: &Outcome) -> Value {
    let Outcome {
        plan,
        settings,
        sent,
        audit,
        system,
        race,
    } = outcome;
    let latencies = outcome.latencies().into_iter();
    let latencies: BTreeMap<_, _> = latencies.map(|(name, it)| (name, it.summary())).collect();
    json!({
        "good": outcome.is_good(),
        "instruments": settings.symbols,
        "traders": settings.traders,
        "readers": settings.readers,
        "workers": system.workers,
        "rate": plan.rate,
        "seconds": plan.duration.as_secs_f64(),
        "seed": plan.seed,
        "sent": sent.orders,
        "answered": sent.answers,
        "took_seconds": sent.took.as_secs_f64(),
        "latencies": latencies,
        "trades": audit.trades,
        "resting": audit.resting,
        "versions": audit.versions,
        "read": audit.read,
        "look_ups": audit.look_ups,
        "shards": audit.shards,
        "hand_overs": audit.hand_overs.len(),
        "hand_over_p50_ns": ns(outcome.hand_over_median()),
        "hand_over_max_ns": ns(outcome.hand_over_longest()),
        "collections": system.collections,
        "longest_collection_ns": ns(system.longest),
        "panics": system.panics,
        "dead_letters": system.dead_letters,
        "audit": {
            "holds": audit.holds(),
            "orders": audit.orders,
            "findings": audit.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        },
        "books": race.as_ref().map(books),
    })
}

fn books(race: &Race) -> Value {
    let times = race.times.iter().map(|it| {
        json!({
            "book": it.entrant.name(),
            "ns_per_order": it.median_ns,
            "fastest_ns_per_order": it.least_ns,
            "drop_ns": ns(it.dropped),
        })
    });
    json!({
        "orders": race.course.orders,
        "rounds": race.course.rounds,
        "trades": race.trades,
        "resting": race.resting,
        "digest": race.digest.to_string(),
        "times": times.collect::<Vec<_>>(),
    })
}
