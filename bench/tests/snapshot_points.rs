//! Each Savina program reaches its snapshot point once in each run, and all of its actors are
//! saved. A test program of its own: the count is the process's.

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
                snapshots: None,
            };
            let before = snapshot_points();
            let rows = bench.run(&run);
            rows.unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(snapshot_points() - before, 1, "{name}, {threads} workers");
        }
    }
}

#[test]
fn the_actors_of_each_program_are_saved() {
    for name in PROGRAMS {
        let bench = Bench::named(name).expect(name);
        let kinds = bench.saved.unwrap_or_else(|| panic!("{name} is not saved"));
        let kinds = (kinds.kinds)().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(kinds.actors().count() > 0, "{name}");
        assert!(kinds.kinds().count() > 0, "{name}");
    }
}
