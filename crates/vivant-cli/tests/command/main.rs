//! `vivant` without a terminal: pages of text, JSON, errors and exit codes.

use std::process::{Command, Output};
use vivant::System;
use vivant_console::Console;

fn vivant(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vivant"))
        .args(args)
        .env_remove("VIVANT_TOKEN")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn without_a_terminal_it_prints_one_page() {
    let demo = ["top", "--demo", "--seed", "7"];
    let piped = out(&vivant(&demo));
    let asked = out(&vivant(&[&demo[..], &["--once"]].concat()));
    assert_eq!(piped, asked, "the same seed, the same page");
    let first = piped.lines().next().unwrap();
    assert_eq!(first, "demo, seed 7, rates over 1s");
    assert!(piped.contains("\ndemo::Kitchen/0 "), "{piped}");
    assert!(piped.contains("\ndemo::Pantry/"), "{piped}");
    assert!(piped.contains(" blocked "), "{piped}");
    assert!(!piped.contains('\x1b'), "no orders for a terminal");
}

#[test]
fn a_snapshot_is_a_line_of_json() {
    let line = out(&vivant(&["top", "--demo", "--seed", "7", "--json"]));
    assert_eq!(line.lines().count(), 1);
    let snapshot: vivant_console::wire::Snapshot = serde_json::from_str(&line).unwrap();
    assert_eq!(snapshot.totals.actors, 31);
    assert_eq!(snapshot.revision, vivant_console::wire::REVISION);
    let pantry = snapshot
        .actors
        .iter()
        .find(|it| it.type_name == "demo::Pantry");
    let heap = pantry.and_then(|it| it.heap.as_ref()).expect("a heap");
    assert!(heap.allocated > 0, "{heap:?}");
    assert_eq!(snapshot.waits.len(), snapshot.totals.waits);
    assert!(snapshot.totals.waits > 0 && snapshot.totals.requests > 0);
}

#[test]
fn a_program_is_found_by_its_token_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let console = Console::builder(&System::new())
        .token_file(&file)
        .start()
        .unwrap();
    // The command that the console itself prints.
    let hint = console.hint();
    let words: Vec<&str> = hint.split(' ').collect();
    assert_eq!(words[0], "vivant");
    let page = out(&vivant(
        &[&words[1..], &["--once", "--every", "50ms"]].concat(),
    ));
    assert!(page.contains("actors 0"), "{page}");
    // The file wins over a token that is given too.
    let both = [&words[1..], &["--json", "--token", "wrong"]].concat();
    assert!(out(&vivant(&both)).contains("totals"));
    drop(console);
    let gone = vivant(&[&words[1..], &["--once"]].concat());
    assert_eq!(gone.status.code(), Some(1));
    let error = String::from_utf8(gone.stderr).unwrap();
    assert!(error.contains(&file.display().to_string()), "{error}");
}

#[test]
fn errors_say_what_to_do() {
    for (args, code, words) in [
        (&["top"][..], 2, "--connect"),
        (&["top", "--demo", "--every", "0s"], 2, "50ms"),
        (&["top", "--connect", "127.0.0.1:1"], 1, "VIVANT_TOKEN"),
        (
            &["top", "--connect", "127.0.0.1:1", "--token", "x"],
            1,
            "is the program running",
        ),
        (
            &["top", "--connect", "192.0.2.1:1", "--token", "x"],
            1,
            "ssh -L",
        ),
    ] {
        let output = vivant(args);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(words), "`{words}` in: {error}");
        assert!(output.stdout.is_empty());
    }
}
