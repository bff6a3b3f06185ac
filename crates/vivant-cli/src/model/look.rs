//! A snapshot with the rates since the previous one.

use super::column::{Column, List};
use super::waits::WaitLine;
use crate::table;
use std::collections::BTreeMap;
use std::time::Duration;
use vivant_console::wire::{Actor, DeadLetters, Heap, Report, Snapshot, SystemPauses, Totals};

/// Events a second; `None` while there is no previous snapshot.
pub(crate) type Rate = Option<f64>;

/// One actor, with its rates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) facts: Actor,
    /// The share of the time for which it was busy, from 0 to 1.
    pub(crate) busy: Rate,
    pub(crate) turns: Rate,
    /// Bytes that its turns allocate in its heap, a second.
    pub(crate) allocating: Rate,
    /// The share of the time for which its heap kept it from running, from 0 to 1.
    pub(crate) paused: Rate,
}

/// One kind of dead letters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Letters {
    pub(crate) facts: DeadLetters,
    pub(crate) rate: Rate,
}

/// The data that the screen shows of a system at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Look {
    /// Time since the console began.
    pub(crate) at: Duration,
    /// Time since the previous snapshot.
    pub(crate) elapsed: Option<Duration>,
    /// The revision of the console's fields: 0 has no heaps, bounds, pauses, waits and requests.
    pub(crate) revision: u32,
    pub(crate) totals: Totals,
    pub(crate) pauses: SystemPauses,
    /// Turns of the actors that are in both snapshots, or that are new.
    pub(crate) turns: Rate,
    pub(crate) dead_letters: Rate,
    pub(crate) panics: Rate,
    pub(crate) rows: Vec<Row>,
    pub(crate) waits: Vec<WaitLine>,
    pub(crate) letters: Vec<Letters>,
    /// The newest first.
    pub(crate) reports: Vec<Report>,
}

/// The previous snapshot, indexed by the subject of its lines.
struct Before<'b> {
    elapsed: Duration,
    totals: &'b Totals,
    actors: BTreeMap<&'b str, &'b Actor>,
    letters: BTreeMap<(&'b str, &'b str, &'b str), u64>,
}

impl Look {
    /// `now`, compared with the previous snapshot, if there is one and it is of the same run of the
    /// program.
    pub(crate) fn between(before: Option<&Snapshot>, now: &Snapshot) -> Look {
        let before = before.and_then(|before| Before::of(before, now));
        let before = before.as_ref();
        let rows: Vec<Row> = now.actors.iter().map(|facts| row(before, facts)).collect();
        let letters = now.dead_letters.iter().map(|facts| letters(before, facts));
        let known: Vec<f64> = rows.iter().filter_map(|row| row.turns).collect();
        let rate = |count: u64, of: fn(&Totals) -> u64| {
            before.map(|before| before.rate(count, of(before.totals)))
        };
        Look {
            at: Duration::from_millis(now.at_ms),
            elapsed: before.map(|before| before.elapsed),
            revision: now.revision,
            totals: now.totals,
            pauses: now.pauses.clone(),
            waits: WaitLine::of(now),
            turns: before.map(|_| known.iter().sum()),
            dead_letters: rate(now.totals.dead_letters, |totals| totals.dead_letters),
            panics: rate(now.totals.panics, |totals| totals.panics),
            letters: letters.collect(),
            rows,
            reports: now.reports.iter().rev().map(legible).collect(),
        }
    }

    /// The actors of a list with a path, type or running behaviour that contains `filter`, ignoring
    /// case.
    pub(crate) fn rows(&self, list: List, sort: Column, filter: &str) -> Vec<&Row> {
        let wanted = filter.to_lowercase();
        let passes = |row: &&Row| {
            let facts = &row.facts;
            [
                Some(&facts.actor),
                Some(&facts.type_name),
                facts.current.as_ref(),
            ]
            .into_iter()
            .flatten()
            .any(|text| text.to_lowercase().contains(&wanted))
        };
        let mut rows: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| list.has(row))
            .filter(passes)
            .collect();
        rows.sort_by(|a, b| sort.compare(a, b));
        rows
    }

    /// The waits with an actor, behaviour or place that contains `filter`, ignoring case.
    pub(crate) fn waits(&self, filter: &str) -> Vec<&WaitLine> {
        let wanted = filter.to_lowercase();
        self.waits
            .iter()
            .filter(|line| line.contains(&wanted))
            .collect()
    }
}

impl<'b> Before<'b> {
    fn of(before: &'b Snapshot, now: &Snapshot) -> Option<Before<'b>> {
        let elapsed_ms = now.at_ms.checked_sub(before.at_ms).filter(|ms| *ms > 0)?;
        let key = |facts: &'b DeadLetters| {
            let DeadLetters {
                behaviour,
                place,
                cause,
                count,
            } = facts;
            ((&**behaviour, &**place, &**cause), *count)
        };
        Some(Before {
            elapsed: Duration::from_millis(elapsed_ms),
            totals: &before.totals,
            actors: before
                .actors
                .iter()
                .map(|facts| (&*facts.actor, facts))
                .collect(),
            letters: before.dead_letters.iter().map(key).collect(),
        })
    }

    /// A count may be lower than before when actors have ended: then the number of additions is
    /// unknown, and the rate is zero.
    fn rate(&self, now: u64, before: u64) -> f64 {
        now.saturating_sub(before) as f64 / self.elapsed.as_secs_f64()
    }
}

fn row(before: Option<&Before<'_>>, facts: &Actor) -> Row {
    let new = Actor::default();
    let was = before.and_then(|before| match before.actors.get(&*facts.actor) {
        Some(was) => Some((before, *was)),
        // The actor is new; unless the previous snapshot left actors out: then it may be older, and
        // its rate is unknown.
        None if before.totals.left_out == 0 => Some((before, &new)),
        None => None,
    });
    let rate =
        |count: fn(&Actor) -> u64| was.map(|(before, was)| before.rate(count(facts), count(was)));
    let of_heap = |count: fn(&Heap) -> u64| {
        let of = |actor: &Actor| actor.heap.as_ref().map(count);
        let now = of(facts)?;
        was.map(|(before, was)| before.rate(now, of(was).unwrap_or(0)))
    };
    Row {
        turns: rate(|actor| actor.turns),
        // The busy time is sampled in milliseconds: the share may come out slightly above 1.
        busy: rate(|actor| actor.busy_ms).map(|ms| (ms / 1e3).min(1.0)),
        allocating: of_heap(|heap| heap.allocated),
        paused: of_heap(|heap| heap.all_pauses().total_ns).map(|ns| (ns / 1e9).min(1.0)),
        facts: facts.clone(),
    }
}

fn letters(before: Option<&Before<'_>>, facts: &DeadLetters) -> Letters {
    let key = (&*facts.behaviour, &*facts.place, &*facts.cause);
    let rate = before.map(|before| {
        let count = before.letters.get(&key).copied().unwrap_or(0);
        before.rate(facts.count, count)
    });
    Letters {
        facts: facts.clone(),
        rate,
    }
}

fn legible(report: &Report) -> Report {
    Report {
        kind: report.kind.clone(),
        text: table::legible(&report.text),
    }
}
