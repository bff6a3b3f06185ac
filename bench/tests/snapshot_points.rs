//! Each Savina program reaches its snapshot point once in each run. A test program of its own: the
//! count is the process's.

use std::path::PathBuf;
use vivant_bench::{Bench, Expectation, Params, Run, snapshot_points};

const PROGRAMS: [&str; 22] = [
    "pingpong",
    "count",
    "fjthrput",
    "fjcreate",
    "threadring",
    "threadring_shuffled",
    "chameneos3",
    "chameneos10",
    "big",
    "concdict",
    "concsll",
    "bndbuffer",
    "philosopher",
    "barber",
    "cigsmok",
    "logmap",
    "banking",
    "radixsort",
    "uct",
    "trapezoid",
    "astar",
    "nqueenk",
];

#[test]
fn each_program_reaches_its_snapshot_point_once() {
    for name in PROGRAMS {
        let bench = Bench::named(name).expect(name);
        for threads in [1, 2] {
            let run = Run {
                params: Params::tiny(bench.params),
                threads,
                program: PathBuf::from(env!("CARGO_BIN_EXE_vivant-bench")),
                corpus: None,
                expectation: Expectation::AsStated,
            };
            let before = snapshot_points();
            let rows = bench.run(&run);
            rows.unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(snapshot_points() - before, 1, "{name}, {threads} workers");
        }
    }
}
