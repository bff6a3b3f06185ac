//! Every bench runs, tiny, and its check passes; and every bench has a check, which fails when it
//! should.

use std::path::PathBuf;
use vivant_bench::{BENCHES, Bench, Expectation, Failure, Kind, Params, Row, Run, Value};

fn tiny(bench: &Bench) -> Run {
    Run {
        params: Params::tiny(bench.params),
        threads: 2,
        program: PathBuf::from(env!("CARGO_BIN_EXE_vivant-bench")),
        corpus: None,
        expectation: Expectation::AsStated,
        snapshots: None,
    }
}

fn rows(bench: &Bench, run: &Run) -> Vec<Row> {
    let rows = bench.run(run);
    rows.unwrap_or_else(|failure| panic!("{bench:?} with {:?}: {failure}", run.params))
}

#[test]
fn every_bench_gives_rows_with_a_checked_result() {
    for bench in BENCHES {
        let rows = rows(bench, &tiny(bench));
        assert!(!rows.is_empty(), "{bench:?}");
        for row in rows {
            assert_eq!(row.bench, bench.name);
            assert!(row.ops > 0 && !row.check.is_empty(), "{row:?}");
            assert!(
                row.params
                    .iter()
                    .any(|it| it == ("threads", Value::Count(2))),
                "{row:?}"
            );
        }
    }
}

#[test]
fn canary_every_bench_fails_when_its_result_is_not_what_is_expected() {
    for bench in BENCHES {
        let mut run = tiny(bench);
        run.expectation = Expectation::OffByOne;
        let rows = bench.run(&run);
        assert!(
            matches!(rows, Err(Failure::Wrong { .. })),
            "{bench:?}: {rows:?}"
        );
    }
}

#[test]
fn one_worker_is_enough() {
    for bench in BENCHES {
        let mut run = tiny(bench);
        run.threads = 1;
        rows(bench, &run);
    }
}

#[test]
fn names_are_distinct_and_every_choice_has_a_default() {
    for (at, bench) in BENCHES.iter().enumerate() {
        assert!(
            BENCHES[..at].iter().all(|other| other.name != bench.name),
            "{bench:?}"
        );
        for (at, param) in bench.params.iter().enumerate() {
            let before = &bench.params[..at];
            assert!(
                before.iter().all(|other| other.name != param.name),
                "{bench:?} {param:?}"
            );
            match param.kind {
                Kind::Count {
                    least,
                    default,
                    tiny,
                } => assert!(least <= tiny && tiny <= default),
                Kind::Choice(words) => assert!(!words.is_empty()),
            }
        }
    }
}

/// The first word is the default: every bench above runs with it.
#[test]
fn every_word_of_a_choice_is_understood() {
    for bench in BENCHES {
        for param in bench.params {
            let Kind::Choice(words) = param.kind else {
                continue;
            };
            for word in &words[1..] {
                let mut run = tiny(bench);
                run.params.set(param.name, Value::Choice(word));
                rows(bench, &run);
            }
        }
    }
}
