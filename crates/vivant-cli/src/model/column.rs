//! The columns of the lists of actors; a list can be sorted by each of its columns.

use super::figure;
use super::look::Row;
use std::cmp::Ordering;
use vivant_console::wire::Heap;

/// A list of actors. Both are of the same actors: as the tabs of `htop`, they differ in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// Mailboxes and turns, of all actors.
    Actors,
    /// Heaps and their pauses, of actors that have a heap.
    Heaps,
}

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
    Live,
    Pages,
    Allocating,
    Marks,
    Paused,
    Longest,
}

impl List {
    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            List::Actors => &[
                Column::Actor,
                Column::Busy,
                Column::Depth,
                Column::Age,
                Column::Turns,
                Column::Deferred,
                Column::Restarts,
            ],
            List::Heaps => &[
                Column::Actor,
                Column::Live,
                Column::Pages,
                Column::Allocating,
                Column::Marks,
                Column::Paused,
                Column::Longest,
            ],
        }
    }

    /// Whether the list has this actor.
    pub(crate) fn has(self, row: &Row) -> bool {
        match self {
            List::Actors => true,
            List::Heaps => row.facts.heap.is_some(),
        }
    }

    /// The column after this one; after the last, the first.
    pub(crate) fn after(self, column: Column) -> Column {
        let columns = self.columns();
        let at = columns.iter().position(|it| *it == column).unwrap_or(0);
        columns[(at + 1) % columns.len()]
    }
}

impl Column {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Column::Actor => "actor",
            Column::Busy => "busy",
            Column::Depth => "waiting",
            Column::Age => "oldest",
            Column::Turns => "turns/s",
            Column::Deferred => "deferred",
            Column::Restarts => "restarts",
            Column::Live => "live",
            Column::Pages => "pages",
            Column::Allocating => "alloc/s",
            Column::Marks => "marks",
            Column::Paused => "paused",
            Column::Longest => "longest",
        }
    }

    pub(crate) fn text(self, row: &Row) -> String {
        let facts = &row.facts;
        let of_heap = |text: fn(&Heap) -> String| match &facts.heap {
            Some(heap) => text(heap),
            None => figure::UNKNOWN.to_owned(),
        };
        match self {
            Column::Actor => facts.actor.clone(),
            Column::Busy => figure::share(row.busy),
            Column::Depth => figure::filled(facts.depth, facts.bound),
            Column::Age => figure::age(facts.age_ms),
            Column::Turns => figure::rate(row.turns),
            Column::Deferred => figure::count(facts.deferred as u64),
            Column::Restarts => figure::count(facts.restarts.into()),
            Column::Live => of_heap(|heap| figure::size(heap.live)),
            Column::Pages => of_heap(|heap| figure::size(heap.pages)),
            Column::Allocating => figure::size_rate(row.allocating),
            Column::Marks => of_heap(|heap| figure::count(heap.marks)),
            Column::Paused => figure::share(row.paused),
            Column::Longest => of_heap(|heap| figure::pause(heap.all_pauses().longest_ns)),
        }
    }

    /// The order of rows: paths from A to Z, numbers from the greatest; ties by age, the older
    /// actor first.
    pub(crate) fn compare(self, a: &Row, b: &Row) -> Ordering {
        let rate = |a: Option<f64>, b: Option<f64>| b.unwrap_or(-1.0).total_cmp(&a.unwrap_or(-1.0));
        let heaps = |number: fn(&Heap) -> u64| {
            let of = |row: &Row| row.facts.heap.as_ref().map(number);
            of(b).cmp(&of(a))
        };
        match self {
            Column::Actor => a.facts.actor.cmp(&b.facts.actor),
            Column::Busy => rate(a.busy, b.busy),
            Column::Depth => b.facts.depth.cmp(&a.facts.depth),
            Column::Age => b.facts.age_ms.cmp(&a.facts.age_ms),
            Column::Turns => rate(a.turns, b.turns),
            Column::Deferred => b.facts.deferred.cmp(&a.facts.deferred),
            Column::Restarts => b.facts.restarts.cmp(&a.facts.restarts),
            Column::Live => heaps(|heap| heap.live),
            Column::Pages => heaps(|heap| heap.pages),
            Column::Allocating => rate(a.allocating, b.allocating),
            Column::Marks => heaps(|heap| heap.marks),
            Column::Paused => rate(a.paused, b.paused),
            Column::Longest => heaps(|heap| heap.all_pauses().longest_ns),
        }
    }
}
