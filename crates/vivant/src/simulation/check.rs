//! A test under many seeds.

use super::rerun::{Recording, SeededRun, rerun};
use super::variables::number;
use super::{Faults, Simulation};
use crate::failures::message_of;
use std::panic;

/// Number of seeds of a test.
///
/// The environment overrides it: `VIVANT_SEED=17` runs that seed alone, `VIVANT_SEEDS=10000` that
/// many seeds.
#[derive(Clone, Copy, Debug)]
pub struct Seeds(pub u64);

impl Seeds {
    fn chosen(self) -> Box<dyn Iterator<Item = u64>> {
        if let Some(seed) = number("VIVANT_SEED") {
            return Box::new(std::iter::once(seed));
        }
        Box::new(0..number("VIVANT_SEEDS").unwrap_or(self.0))
    }
}

/// Runs `test` once for each seed. `#[vivant::test]` calls this; call it yourself in tests that
/// choose their faults.
///
/// # Panics
///
/// When `test` does, after printing the seed, how to rerun it, and whether another run of the same
/// seed had the same turns; and when the simulation complains, because then the seed does not
/// determine the run.
#[allow(
    clippy::print_stderr,
    reason = "a failing test's seed is for whoever reads its output"
)]
pub fn check(name: &str, seeds: Seeds, faults: &Faults, test: impl Fn(&Simulation)) {
    for seed in seeds.chosen() {
        let run = SeededRun::of(seed, faults, &test, Recording::Off);
        if let Err(payload) = &run.outcome {
            let test_name = name.rsplit("::").next().unwrap_or(name);
            eprintln!(
                "\n{name} failed under seed {seed} after {} turns, at virtual time {:?}: {}\n\
                 Rerun it alone with: VIVANT_SEED={seed} cargo test {test_name}\n\
                 With VIVANT_TRACE=1 before it, its turns are printed.\n\
                 It is run again, to see whether its seed determines it.",
                run.turns,
                run.now,
                message_of(&**payload),
            );
            eprintln!("\n{}\n", rerun(seed, faults, &test, &run));
        }
        if let Err(payload) = run.outcome {
            panic::resume_unwind(payload);
        }
    }
}

/// The inverse of [`check`], for the self-test of a test: at least one of these seeds must fail.
/// Returns the first seed under which `test` panics with a message that contains `expected`, as for
/// `#[should_panic(expected = "…")]`; a seed that fails with another message is passed over. So a
/// test that passes is told from a test that cannot fail: plant a fault, and check that it is
/// found.
///
/// The environment has no effect: a single seed need not find the fault.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::simulation::{self, Faults, Seeds, Simulation};
///
/// #[derive(Actor)] struct Account { balance: i64 }
/// #[behaviours] impl Account {
///     fn balance(&self) -> i64 { self.balance }
///     fn set(&mut self, balance: i64) { self.balance = balance }
///     /// The mistake: another message may come between the look and the change.
///     fn pay_in(&self, t: &Turn<Self>, sum: i64) {
///         t.ask(t.me().balance()).then_send(t.me().add(sum));
///     }
///     #[then] fn add(&self, t: &Turn<Self>, balance: Result<i64, AskError>, sum: i64) {
///         t.send(t.me().set(balance.unwrap_or(0) + sum));
///     }
/// }
///
/// fn two_payments(simulation: &Simulation) {
///     let account = simulation.system().spawn(Account { balance: 0 });
///     account.pay_in(2).send();
///     account.pay_in(3).send();
///     simulation.run();
///     assert_eq!(account.balance().ask_blocking(), Ok(5));
/// }
///
/// # std::panic::set_hook(Box::new(|_| ()));
/// simulation::check_fails(Seeds(100), &Faults::none(), "right: Ok(5)", two_payments);
/// ```
///
/// # Panics
///
/// If no seed fails with such a message. The text names the first other failure.
#[track_caller]
pub fn check_fails(
    seeds: Seeds,
    faults: &Faults,
    expected: &str,
    test: impl Fn(&Simulation),
) -> u64 {
    let mut other = None;
    for seed in 0..seeds.0 {
        let run = SeededRun::of(seed, faults, &test, Recording::Off);
        let Err(payload) = run.outcome else {
            continue;
        };
        let message = message_of(&*payload);
        if message.contains(expected) {
            return seed;
        }
        other.get_or_insert((seed, message));
    }
    let other = match other {
        Some((seed, message)) => format!("seed {seed} failed otherwise: {message}"),
        None => "all passed".to_owned(),
    };
    panic!(
        "none of {} seeds failed with {expected:?}: {other}",
        seeds.0
    )
}
