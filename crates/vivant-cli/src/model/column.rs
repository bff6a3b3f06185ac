//! The columns of the list of actors; the list can be sorted by each.

use super::figure;
use super::look::Row;
use std::cmp::Ordering;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Actor,
    Busy,
    Depth,
    Age,
    Turns,
    Deferred,
    Restarts,
}

impl Column {
    pub(crate) const ALL: [Column; 7] = [
        Column::Actor,
        Column::Busy,
        Column::Depth,
        Column::Age,
        Column::Turns,
        Column::Deferred,
        Column::Restarts,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Column::Actor => "actor",
            Column::Busy => "busy",
            Column::Depth => "waiting",
            Column::Age => "oldest",
            Column::Turns => "turns/s",
            Column::Deferred => "deferred",
            Column::Restarts => "restarts",
        }
    }

    pub(crate) fn text(self, row: &Row) -> String {
        let facts = &row.facts;
        match self {
            Column::Actor => facts.actor.clone(),
            Column::Busy => figure::share(row.busy),
            Column::Depth => figure::count(facts.depth as u64),
            Column::Age => figure::age(facts.age_ms),
            Column::Turns => figure::rate(row.turns),
            Column::Deferred => figure::count(facts.deferred as u64),
            Column::Restarts => figure::count(facts.restarts.into()),
        }
    }

    pub(crate) fn next(self) -> Column {
        Column::ALL[(self as usize + 1) % Column::ALL.len()]
    }

    /// The order of rows: paths from A to Z, numbers from the greatest; ties by age, the older
    /// actor first.
    pub(crate) fn compare(self, a: &Row, b: &Row) -> Ordering {
        let rate = |a: Option<f64>, b: Option<f64>| b.unwrap_or(-1.0).total_cmp(&a.unwrap_or(-1.0));
        match self {
            Column::Actor => a.facts.actor.cmp(&b.facts.actor),
            Column::Busy => rate(a.busy, b.busy),
            Column::Depth => b.facts.depth.cmp(&a.facts.depth),
            Column::Age => b.facts.age_ms.cmp(&a.facts.age_ms),
            Column::Turns => rate(a.turns, b.turns),
            Column::Deferred => b.facts.deferred.cmp(&a.facts.deferred),
            Column::Restarts => b.facts.restarts.cmp(&a.facts.restarts),
        }
    }
}
