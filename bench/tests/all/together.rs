//! All workloads at once, again and again: each result must be right however the others interfere.
//! This is a test for the sanitizers.

use std::path::PathBuf;
use std::thread;
use vivant_bench::{BENCHES, Expectation, Params, Run};

/// Number of runs of each workload beside the others.
const ROUNDS: usize = 3;

#[test]
fn all_workloads_at_once() {
    thread::scope(|scope| {
        for (at, bench) in BENCHES.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let run = Run {
                        params: Params::tiny(bench.params),
                        threads: 1 + (at + round) % 3,
                        program: PathBuf::from(env!("CARGO_BIN_EXE_vivant-bench")),
                        corpus: None,
                        expectation: Expectation::AsStated,
                        snapshots: None,
                    };
                    if let Err(failure) = bench.run(&run) {
                        panic!("{bench:?} beside the others: {failure}");
                    }
                }
            });
        }
    });
}
