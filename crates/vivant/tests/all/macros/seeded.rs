//! `#[vivant::test]`.

use super::{Outcome, bank};
use std::cell::Cell;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

thread_local! {
    static RUNS: Cell<u64> = const { Cell::new(0) };
}

#[vivant::test]
fn a_test_takes_the_system(system: &System) {
    let account = system.spawn(bank::Account::empty());
    assert_eq!(account.deposit(1).ask_blocking(), Ok(1));
}

#[vivant::test(seeds = 3)]
fn a_test_takes_the_simulation(simulation: &Simulation) -> Outcome {
    let account = simulation.system().spawn(bank::Account::empty());
    account.deposit(1).send();
    simulation.run();
    assert_eq!(account.balance().ask_blocking()?, 1);
    RUNS.set(RUNS.get() + 1);
    Ok(())
}

#[vivant::test(seeds = 5, faults = Faults::none())]
async fn an_async_test_awaits(system: System) -> Outcome {
    let account = system.spawn(bank::Account::empty());
    assert_eq!(account.deposit(1).ask().await?, 1);
    Ok(())
}

#[vivant::test(seeds = 2)]
#[should_panic(expected = "the test returned an error: \"no\"")]
fn an_error_fails_a_test(_system: &System) -> Result<(), String> {
    Err("no".into())
}

#[cfg(any())]
#[vivant::test]
fn left_out(_: NoSuchType) {}

#[test]
fn a_seeded_test_runs_once_for_each_seed() {
    let overridden = ["VIVANT_SEED", "VIVANT_SEEDS"].map(std::env::var);
    if overridden.iter().all(Result::is_err) {
        a_test_takes_the_simulation();
        assert_eq!(RUNS.get(), 3);
    }
}
