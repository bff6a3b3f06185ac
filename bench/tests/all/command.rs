//! The command line: what it prints, and what it says when something is wrong.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use vivant_bench::{BENCHES, Bench, Group};

fn command(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vivant-bench"));
    command.args(words.split_whitespace());
    command
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program was built")
}

fn printed(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn run(words: &str) -> (String, String) {
    printed(&output(&mut command(words)))
}

#[test]
fn a_row_is_a_line_of_json() {
    let (line, _) = run("echo --mode=hot --tiny --threads 1 --json");
    assert_eq!(line.lines().count(), 1, "{line}");
    let row: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!(row["bench"], "echo");
    assert_eq!(row["params"]["mode"], "hot");
    assert_eq!(row["params"]["threads"], 1);
    assert_eq!(row["check"], "packets that came back: 50");
    for field in ["wall_s", "cpu_s", "ops", "ns_per_op", "peak_rss_bytes"] {
        assert!(row[field].is_number(), "{field}: {line}");
    }
    for field in ["p50_us", "p99_us", "p999_us", "p9999_us", "max_us"] {
        assert!(row[field].is_number(), "{field}: {line}");
    }
}

/// One pair of runs of each Savina program that is counted.
#[test]
fn each_savina_program_is_measured_with_a_snapshot_and_without() {
    let (lines, summary) = run("snapshots --tiny --rounds 1 --threads 2 --json");
    let saved = BENCHES.iter().filter(|bench| bench.saved.is_some());
    assert_eq!(lines.lines().count(), saved.count(), "{lines}");
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        // A run has four iterations, and every second one requests a snapshot.
        assert_eq!(line["requested"], 2, "{line}");
        assert_eq!(line["completed"], 2, "{line}");
        assert!(line["failure"].is_null(), "{line}");
        for field in [
            "without_s",
            "with_s",
            "ratio",
            "bytes",
            "stored_bytes",
            "complete_s",
        ] {
            assert!(line[field].as_f64() > Some(0.0), "{field}: {line}");
        }
    }
    assert!(
        summary.contains("22 programs: geometric mean "),
        "{summary}"
    );
    let (table, _) = run("snapshots --tiny --rounds 1 --threads 2 count");
    assert!(table.starts_with("store: the directory "), "{table}");
    assert!(table.contains("1 programs: geometric mean "), "{table}");
}

#[test]
fn parameters_are_taken() {
    let (line, _) = run("rings --rings 3 --actors=4 --hops=9 --json");
    let row: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!(row["ops"], 27);
    assert_eq!(row["check"], "sum of the actors at which the tokens end: 6");
}

#[test]
fn list_names_every_bench_and_parameter() {
    let (list, _) = run("list");
    for bench in BENCHES {
        assert!(
            list.lines().any(|line| line.starts_with(bench.name)),
            "{bench:?}: {list}"
        );
        for param in bench.params {
            assert!(
                list.contains(&format!("--{}", param.name)),
                "{bench:?} {param:?}: {list}"
            );
        }
    }
}

#[test]
fn a_wrong_command_line_gets_a_hint() {
    for (words, named) in [
        (
            "threadrings",
            "Benches: threadring, threadring_shuffled, pingpong",
        ),
        (
            "rings --hop 3",
            "Parameters of rings: --rings, --actors, --hops.",
        ),
        ("rings --hops many", "--hops"),
        ("rings --hops 0", "--hops"),
        ("chameneos3 --creatures 1", "--creatures"),
        ("threadring --order backwards", "creation, shuffled"),
        ("fib --threads 0", "--threads"),
        ("", "Usage"),
    ] {
        let output = output(&mut command(words));
        let (_, error) = printed(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(named), "{words:?}: {error}");
    }
}

#[test]
fn a_report_has_data_and_charts_of_everything() {
    let folder = tempfile::tempdir().expect("a folder for this test");
    let out = folder.path();
    let peers = out.join("peers.csv");
    fs::write(&peers, "1,actix,threadring,wall_ms,630\n").expect("the folder is ours");
    let mut report = command("report --tiny --rounds 2 --threads 2 --out");
    let output = output(report.arg(out).arg("--peers").arg(&peers));
    let (_, error) = printed(&output);
    assert!(output.status.success(), "{error}");

    let data = [
        "runs.jsonl",
        "savina.jsonl",
        "counted.jsonl",
        "heaps.jsonl",
        "large.jsonl",
        "sharing.jsonl",
    ]
    .map(|file| fs::read_to_string(out.join(file)).expect("the report writes it"))
    .concat();
    let mut benches = BTreeSet::new();
    for line in data.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        match row["bench"].as_str() {
            Some(bench) => benches.insert((bench.to_owned(), row["round"].as_u64())),
            None => {
                assert!(row["machine"].is_string(), "{line}");
                false
            }
        };
    }
    let reported = BENCHES.iter().filter(|bench| bench.group != Group::Soak);
    assert_eq!(benches.len(), 2 * reported.count(), "{data}");

    let charts = [
        "messages.svg",
        "creation.svg",
        "latency.svg",
        "counts.svg",
        "programs.svg",
        "queued.svg",
        "graphs.svg",
    ];
    let charts =
        charts.map(|file| fs::read_to_string(out.join(file)).expect("the report writes it"));
    assert!(
        charts[0].contains("actix") && charts[0].contains("63.0"),
        "{}",
        charts[0]
    );
    let words = charts.concat();
    assert!(charts[3..6].iter().all(|chart| chart.contains("arc")));
    let charted = |bench: &&Bench| {
        let group = bench.group;
        !matches!(
            group,
            Group::Uncharted
                | Group::Savina
                | Group::References
                | Group::Queued
                | Group::Heaps
                | Group::Large
                | Group::Soak
                | Group::Sharing
        )
    };
    for bench in BENCHES.iter().filter(charted) {
        assert!(words.contains(bench.name), "{bench:?} is in no chart");
    }
}

#[test]
fn a_report_of_a_part_leaves_the_other_alone() {
    let folder = tempfile::tempdir().expect("a folder for this test");
    let out = folder.path();
    let output = output(command("report counted --tiny --rounds=1 --out").arg(out));
    assert!(output.status.success(), "{}", printed(&output).1);
    assert!(out.join("counted.jsonl").exists() && out.join("queued.svg").exists());
    assert!(!out.join("runs.jsonl").exists() && !out.join("messages.svg").exists());
}

#[test]
fn a_report_of_one_bench_has_its_rows_only() {
    let folder = tempfile::tempdir().expect("a folder for this test");
    let out = folder.path();
    let words = "report --bench pingpong --tiny --rounds=2 --out";
    let output = output(command(words).arg(out));
    assert!(output.status.success(), "{}", printed(&output).1);
    let data = fs::read_to_string(out.join("pingpong.jsonl")).expect("the report writes it");
    assert_eq!(data.matches("\"bench\":\"pingpong\"").count(), 2, "{data}");
    assert!(!out.join("runs.jsonl").exists() && !out.join("messages.svg").exists());
}

#[test]
fn every_variant_and_pointer_has_a_row() {
    for (bench, param, words) in [
        (
            "refcount",
            "variant",
            &["rc", "arc", "brc_owner", "brc_other", "hybrid_local"][..],
        ),
        ("json", "pointer", &["rc", "arc", "brc"]),
        ("queued", "pointer", &["arc", "brc"]),
        ("queued", "ratio", &["0.0", "0.5", "1.0"]),
    ] {
        let (lines, error) = run(&format!("{bench} --tiny --json"));
        for word in words {
            let row = format!("\"{param}\":\"{word}\"");
            let found = lines.lines().any(|line| line.contains(&row));
            assert!(found, "{bench} {word}: {lines} {error}");
        }
    }
}

#[test]
fn texts_come_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder for this test");
    let path = folder.path().join("texts");
    let lines: String = (0..40)
        .map(|at| format!("{at}. the end, line {at}\n"))
        .collect();
    fs::write(&path, lines).expect("the folder is ours");
    let words = "text_search --tiny --documents 7 --every 2 --json --corpus";
    let output = output(command(words).arg(&path));
    let (line, error) = printed(&output);
    let row: serde_json::Value = serde_json::from_str(&line).expect(&error);
    assert_eq!(
        (&row["params"]["texts"], &row["params"]["shards"]),
        (&"corpus".into(), &6.into())
    );
    assert_eq!(row["ops"], 3 * 40);
}

#[test]
fn a_peers_file_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder for this test");
    let out = folder.path();
    let output = output(command("report --tiny --peers nowhere.csv --out").arg(out));
    let (_, error) = printed(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("nowhere.csv"), "{error}");
}

#[test]
fn the_table_has_each_program_beside_the_papers() {
    let (table, error) = run("table --tiny --threads=2");
    let has = |row: &str| table.lines().any(|line| line.starts_with(row));
    assert!(
        has("| heavyring | Pony, paper | 775 | 640 | 705 | 642 | 0.8258 |"),
        "{table} {error}"
    );
    for program in ["trees", "trees2", "heavyring", "server", "rings", "mailbox"] {
        let row = format!("| {program} | vivant | ");
        assert!(has(&row), "{program}: {table} {error}");
    }
    for tree in ["iso", "box", "val"] {
        assert!(has(&format!("| {tree} | 8 | ")), "{tree}: {table} {error}");
    }
    // Of each ring 102 messages, ten for its making, and its end; and a request for the sum. The
    // last two turns are counted at their ends, which the reader of the answer may not have seen.
    let counted = |turns| has(&format!("| rings | vivant | {turns} | 0 | 0 | 0 |"));
    assert!((451..=453).any(counted), "{table}");
}
