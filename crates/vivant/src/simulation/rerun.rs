//! [`rerun`]: a seed that has failed is run again, so that the report can say whether the seed
//! determines the run.

use super::{Faults, Simulation, variables};
use crate::failures::message_of;
use crate::services::{RecordedTurn, Trace};
use crate::system::System;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

/// Turns that are recorded of each run, with their arguments. A later difference is not found.
pub(super) const TURNS_MAX: usize = 1_000_000;

/// One run of a test under a seed.
pub(super) struct SeededRun {
    pub(super) outcome: Result<(), Box<dyn Any + Send>>,
    pub(super) turns: u64,
    pub(super) now: Duration,
    signature: u64,
    recorded: Vec<RecordedTurn>,
}

/// Whether a run keeps a list of its turns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recording {
    Off,
    On,
}

impl SeededRun {
    pub(super) fn of(
        seed: u64,
        faults: &Faults,
        test: impl Fn(&Simulation),
        recording: Recording,
    ) -> SeededRun {
        let trace = match recording {
            Recording::Off => variables::trace(),
            // The first run's trace is in the output.
            Recording::On => Trace::Off,
        };
        let simulation = Simulation::traced(seed, faults.clone(), System::builder(), trace);
        if recording == Recording::On {
            simulation.stage().record(TURNS_MAX);
        }
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            test(&simulation);
            let complaints = simulation.complaints();
            assert!(
                complaints.is_empty(),
                "the seed does not determine this run: {}",
                complaints.join("; ")
            );
        }));
        SeededRun {
            outcome,
            turns: simulation.turns(),
            now: simulation.now(),
            signature: simulation.signature(),
            recorded: simulation.stage().recorded(),
        }
    }

    fn end(&self) -> String {
        match &self.outcome {
            Ok(()) => "passed".to_owned(),
            Err(payload) => format!("failed: {}", message_of(&**payload)),
        }
    }
}

/// Runs a seed that has failed twice more. Returns what the report says of it.
pub(super) fn rerun(
    seed: u64,
    faults: &Faults,
    test: impl Fn(&Simulation),
    first: &SeededRun,
) -> String {
    let second = SeededRun::of(seed, faults, &test, Recording::On);
    let has_same_turns = (second.signature, second.turns) == (first.signature, first.turns);
    let [end, other_end] = [first.end(), second.end()];
    if has_same_turns && end == other_end {
        return format!(
            "A second run had the same {} turns, and failed too.",
            first.turns
        );
    }
    // The first run has no list.
    let third = SeededRun::of(seed, faults, &test, Recording::On);
    let difference = match first_difference(&second.recorded, &third.recorded) {
        Some((number, turns)) => {
            let [one, other] = turns.map(|turn| match turn {
                Some(turn) => turn.to_string(),
                None => "the end of the run".to_owned(),
            });
            format!("Turn {number} of the second run is {one}; of the third, {other}.")
        }
        None => format!(
            "The first had {} turns, the second and the third {}, the same ones.",
            first.turns, second.turns
        ),
    };
    let differs = match has_same_turns {
        true => format!(
            "a second one had the same turns, with other values. The first {end}. The second {other_end}."
        ),
        false => "the next ones had other turns.".to_owned(),
    };
    format!("The seed does not determine this run: {differs} {difference}\n{SOURCES}")
}

const SOURCES: &str = "Look for the order of a std HashMap or HashSet, addresses of objects, clocks, random numbers, \
     threads and files; `t.now()` and `t.random()` are determined.";

/// The number of the first turn that differs, from 1, and both turns.
fn first_difference<'r>(
    one: &'r [RecordedTurn],
    other: &'r [RecordedTurn],
) -> Option<(usize, [Option<&'r RecordedTurn>; 2])> {
    let count = one.len().max(other.len());
    let at = (0..count).find(|at| one.get(*at) != other.get(*at))?;
    Some((at + 1, [one.get(at), other.get(at)]))
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::prelude::*;
    use std::collections::HashSet;

    #[derive(Actor)]
    struct Guest {
        meals: u64,
    }

    #[behaviours]
    impl Guest {
        fn eat(&mut self, meal: u64) -> u64 {
            self.meals = 10 * self.meals + meal;
            self.meals
        }
    }

    fn report(test: impl Fn(&Simulation)) -> String {
        let first = SeededRun::of(1, &Faults::none(), &test, Recording::Off);
        assert!(first.outcome.is_err());
        rerun(1, &Faults::none(), &test, &first)
    }

    /// Keys in an order that differs from run to run: of so many, no two orders are the same.
    fn keys() -> HashSet<u64> {
        (0..32).collect()
    }

    #[test]
    fn a_run_that_the_seed_determines_is_said_to_be_one() {
        let report = report(|simulation| {
            let guest = simulation.system().spawn(Guest { meals: 0 });
            assert_eq!(guest.eat(1).ask_blocking(), Ok(2));
        });
        assert_eq!(report, "A second run had the same 1 turns, and failed too.");
    }

    #[test]
    fn the_first_turn_that_differs_is_named() {
        let report = report(|simulation| {
            let guests: Vec<_> = (0..32)
                .map(|_| simulation.system().spawn(Guest { meals: 0 }))
                .collect();
            for key in keys() {
                guests[key as usize].eat(key).send();
            }
            simulation.run();
            panic!("as planned");
        });
        assert!(
            report.starts_with("The seed does not determine this run: the next ones"),
            "{report}"
        );
        assert!(report.contains("of the second run is actor "), "{report}");
        assert!(report.contains("Guest::eat(meal: "), "{report}");
    }

    #[test]
    fn other_values_in_the_same_turns_are_noticed() {
        let report = report(|simulation| {
            let guest = simulation.system().spawn(Guest { meals: 0 });
            keys()
                .into_iter()
                .take(9)
                .for_each(|key| guest.eat(key).send());
            panic!("{:?} meals", guest.eat(0).ask_blocking());
        });
        assert!(
            report.contains("with other values. The first failed: "),
            "{report}"
        );
        assert!(report.contains("Guest::eat(meal: "), "{report}");
    }
}
