//! One run of a bench: its parameters, and what may come out.

use crate::failure::Failure;
use crate::meter::Spent;
use crate::param::{Param, Params, Value};
use crate::row::Figures;
use crate::snapshots::Listed;
use std::path::PathBuf;
use std::time::Duration;
use vivant::{PauseClock, System, SystemBuilder};

/// Whether the system is fair (T6). Off, a run ends when nothing is left to do, and no turn is too
/// long: what is then saved is what fairness costs. For benches that end without it.
pub(crate) const FAIR: Param = Param::choice(
    "fair",
    &["on", "off"],
    "whether actors and turns have limits",
);

/// By which clock the pauses of heaps are measured.
pub(crate) const PAUSES: Param = Param::choice(
    "pauses",
    &["wall", "cpu"],
    "by which clock pauses are measured",
);

/// Longer than any run.
const UNLIMITED: Duration = Duration::from_secs(24 * 3_600);

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The bench's own parameters.
    pub params: Params,
    /// Workers of the system.
    pub threads: usize,
    /// This program, for benches that run it as a child.
    pub program: PathBuf,
    /// A file of texts, for benches that take their texts from one.
    pub corpus: Option<PathBuf>,
    /// The expectation of the checks.
    pub expectation: Expectation,
    /// What its snapshots need, for a run beside which they may be taken.
    pub snapshots: Option<Listed>,
}

/// The expectation of the checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// The result that the bench states.
    AsStated,
    /// One more than that: every bench must fail. This is how the tests see that each has a check.
    OffByOne,
}

impl Run {
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.params.count(name)
    }

    pub(crate) fn choice(&self, name: &str) -> &'static str {
        self.params.choice(name)
    }

    /// The system under measurement.
    pub(crate) fn system(&self) -> System {
        let system = self.builder().build();
        if let Some(listed) = &self.snapshots {
            listed.built(&system);
        }
        system
    }

    /// The same, in which an actor rests when it has not run for so long.
    pub(crate) fn system_resting_after(&self, time: Duration) -> System {
        self.builder().idle_after(time).build()
    }

    pub(crate) fn builder(&self) -> SystemBuilder {
        let builder = System::builder().workers(self.threads);
        let builder = match &self.snapshots {
            Some(listed) => listed.list(builder),
            None => builder,
        };
        let builder = match self.is_chosen(PAUSES, "cpu") {
            true => builder.pause_clock(PauseClock::ThreadCpu),
            false => builder,
        };
        match self.is_chosen(FAIR, "off") {
            true => builder.budget(u32::MAX, UNLIMITED).turn_limit(UNLIMITED),
            false => builder,
        }
    }

    /// Whether the bench has this parameter, and it is this word.
    pub(crate) fn is_chosen(&self, param: Param, word: &'static str) -> bool {
        let wanted = (param.name, Value::Choice(word));
        self.params.iter().any(|it| it == wanted)
    }

    /// The text of the result in the row, if it is as expected.
    pub(crate) fn check(
        &self,
        what: &'static str,
        expected: u64,
        got: u64,
    ) -> Result<String, Failure> {
        let expected = match self.expectation {
            Expectation::AsStated => expected,
            Expectation::OffByOne => expected + 1,
        };
        if expected == got {
            Ok(format!("{what}: {got}"))
        } else {
            Err(Failure::Wrong {
                what,
                expected,
                got,
            })
        }
    }

    /// The only row of a bench, if the result is as expected: what was checked, its expected value
    /// and the actual one.
    pub(crate) fn row(
        &self,
        spent: Spent,
        ops: u64,
        (what, expected, got): (&'static str, u64, u64),
    ) -> Result<Vec<Figures>, Failure> {
        let check = self.check(what, expected, got)?;
        Ok(vec![Figures::new(spent, ops, check)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(expectation: Expectation) -> Run {
        Run {
            params: Params::default(),
            threads: 1,
            program: PathBuf::new(),
            corpus: None,
            expectation,
            snapshots: None,
        }
    }

    #[test]
    fn canary_a_wrong_result_is_told_with_what_was_expected() {
        let run = run(Expectation::AsStated);
        assert_eq!(run.check("sum", 3, 3).unwrap(), "sum: 3");
        let wrong = run.check("sum", 3, 4).unwrap_err().to_string();
        assert_eq!(wrong, "wrong result: sum must be 3 and is 4");
    }

    #[test]
    fn canary_a_wrong_expectation_refuses_a_right_result() {
        assert!(run(Expectation::OffByOne).check("sum", 3, 3).is_err());
    }
}
