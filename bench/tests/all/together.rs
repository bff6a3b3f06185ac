//! All workloads at once, again and again: what each finds must be right however the others disturb
//! it. It is the sanitizers that this is for.

use std::path::PathBuf;
use std::thread;
use vivant_bench::{BENCHES, Expectation, Params, Run};

/// How often each workload runs beside the others.
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
                        expectation: Expectation::AsStated,
                    };
                    if let Err(failure) = bench.run(&run) {
                        panic!("{bench:?} beside the others: {failure}");
                    }
                }
            });
        }
    });
}
