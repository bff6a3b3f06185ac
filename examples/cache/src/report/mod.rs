//! Reports: the results of a run.
//!
//! - [`Outcome`]: all results; `table`: for a terminal, its `Display`.
//! - [`json`]: one line for programs.
//! - [`Run`]: the results of one server; [`Observed`]: its own statistics, if it has some.

mod json;
mod table;

pub use json::json;

use crate::audit::Audit;
use crate::load::{Plan, Tally};
use crate::stats::{Heap, Stats};
use std::time::Duration;

/// All results.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan of each round.
    pub plan: Plan,
    /// The number of titles.
    pub titles: u64,
    /// The seed of pages and requests.
    pub seed: u64,
    /// The number of each server's rounds.
    pub rounds: u32,
    /// By server.
    pub runs: Vec<Run>,
}

/// The results of one server.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The load generator's results.
    pub tally: Tally,
    /// The server's own statistics; `None` if it has pages only.
    pub observed: Option<Observed>,
    /// The time to open and fill it, if it was measured.
    pub filled_in: Option<Duration>,
}

/// A server's own statistics.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The statistics before the requests for pages.
    pub before: Stats,
    /// The statistics of its heaps during the requests for pages. Between rounds the heaps are
    /// idle, and are collected too.
    pub under_load: Heap,
    /// The CPU time of the server during the requests for pages.
    pub cpu_ns: u64,
    /// The statistics after that.
    pub after: Stats,
    /// What the audit found.
    pub audit: Audit,
}

impl Outcome {
    /// Returns true if every request was answered correctly, and the audits have no finding.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.complaints().is_empty()
    }

    /// The errors, as sentences.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let due = self.plan.requests() * u64::from(self.rounds);
        let mut all = Vec::new();
        for run in &self.runs {
            let name = run.name();
            all.extend(run.complaints(due).map(|it| format!("{name}: {it}")));
        }
        all
    }
}

impl Run {
    /// The server's name of its store, if it has statistics.
    fn name(&self) -> String {
        let observed = self.observed.as_ref();
        observed.map_or("pages only".to_owned(), |it| it.after.store.to_string())
    }

    fn complaints(&self, due: u64) -> impl Iterator<Item = String> {
        let tally = &self.tally;
        let mut all = Vec::new();
        all.extend(self.observed.iter().flat_map(|it| it.complaints(tally)));
        if tally.answers() != due {
            all.push(format!("{due} pages were due and {} came", tally.answers()));
        }
        if tally.unexpected > 0 {
            all.push(format!("{} answers should not have come", tally.unexpected));
            all.extend(tally.unexpected_first.iter().map(ToString::to_string));
        }
        if tally.unsent > 0 {
            all.push(format!(
                "{} requests could not be sent in time",
                tally.unsent
            ));
        }
        all.into_iter()
    }
}

impl Observed {
    fn complaints(&self, tally: &Tally) -> Vec<String> {
        let Observed { before, after, .. } = self;
        let findings = self.audit.findings.iter();
        let mut all: Vec<String> = findings.map(|it| format!("audit: {it}")).collect();
        let met = (tally.hits, tally.misses);
        let observed = (after.hits - before.hits, after.misses - before.misses);
        if met != observed {
            all.push(format!(
                "the load generator met {} hits and {} misses, the server counts {} and {}",
                met.0, met.1, observed.0, observed.1
            ));
        }
        if after.panics > 0 {
            all.push(format!("{} turns panicked", after.panics));
        }
        if after.dead_letters > 0 {
            all.push(format!(
                "{} messages became dead letters",
                after.dead_letters
            ));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Finding;
    use crate::load::Unexpected;
    use crate::page::Pages;
    use crate::store::Found;

    /// Three pages were due, two were there; a server that counted five hits before.
    fn outcome() -> Outcome {
        let mut observed = Observed::default();
        (
            observed.before.hits,
            observed.after.hits,
            observed.after.misses,
        ) = (5, 7, 1);
        let mut run = Run {
            observed: Some(observed),
            ..Run::default()
        };
        for found in [Found::Hit, Found::Miss, Found::Hit] {
            run.tally.page(found, 10);
        }
        let pages = Pages {
            seed: 1,
            mean_bytes: 300,
        };
        let plan = Plan {
            warm: Duration::from_secs(1),
            duration: Duration::from_secs(2),
            rate: 1.0,
            connections: 1,
            seed: 1,
            pages,
        };
        Outcome {
            plan,
            titles: 10,
            seed: 1,
            rounds: 1,
            runs: vec![run],
        }
    }

    fn complaints(change: impl FnOnce(&mut Run)) -> Vec<String> {
        let mut outcome = outcome();
        change(&mut outcome.runs[0]);
        assert_eq!(outcome.is_good(), outcome.complaints().is_empty());
        outcome.complaints()
    }

    fn observed(run: &mut Run) -> &mut Observed {
        run.observed.as_mut().expect("this one does")
    }

    #[test]
    fn of_a_server_that_only_gives_pages_there_is_the_tally_alone() {
        let mut outcome = outcome();
        outcome.runs[0].observed = None;
        assert!(outcome.is_good());
        let table = outcome.to_string();
        assert!(table.contains("pages only\n"), "{table}");
        assert!(table.contains("2 hits, 1 misses"), "{table}");
        for word in ["asked to turn", "audit", "process", "heap"] {
            assert!(!table.contains(word), "{word} is in\n{table}");
        }
        let line = json(&outcome);
        let run = &line["runs"][0];
        assert_eq!((&run["hits"], &run["unexpected"]), (&2.into(), &0.into()));
        assert!(run.get("stats").is_none() && run.get("audit").is_none());

        outcome.runs[0].tally.hits -= 1;
        let complaints = outcome.complaints();
        assert_eq!(complaints, ["pages only: 3 pages were due and 2 came"]);
    }

    #[test]
    fn a_good_run_has_no_complaints() {
        assert_eq!(complaints(|_| ()), [""; 0]);
    }

    #[test]
    fn canary_each_thing_that_is_wrong_is_complained_of() {
        let wrong: [(fn(&mut Run), &str); 7] = [
            (
                |run| observed(run).after.hits += 1,
                "2 hits and 1 misses, the server counts 3 and 1",
            ),
            (|run| run.tally.hits -= 1, "3 pages were due and 2 came"),
            (|run| run.tally.unsent = 4, "4 requests could not be sent"),
            (|run| observed(run).after.panics = 1, "1 turns panicked"),
            (
                |run| observed(run).after.dead_letters = 2,
                "2 messages became dead letters",
            ),
            (
                |run| run.tally.unexpected(Unexpected::WrongPage { title: 8 }),
                "page 8 is not that page",
            ),
            (
                |run| {
                    observed(run)
                        .audit
                        .findings
                        .push(Finding::Twice { title: 9 })
                },
                "audit: title 9 is in the list twice",
            ),
        ];
        for (change, sentence) in wrong {
            let complaints = complaints(change);
            let has = complaints.iter().any(|it| it.contains(sentence));
            assert!(has, "{sentence}: {complaints:?}");
        }
    }
}
