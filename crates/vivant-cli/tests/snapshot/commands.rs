//! The command itself: help, exit codes, errors.

use crate::golden::is_as_in;
use crate::{program, zoo};
use std::path::Path;
use std::process::{Command, Output};
use vivant_journal::{DirectoryStore, Journal, Settings};

fn vivant(folder: &Path, line: &str) -> Output {
    let words = line.split(' ').map(|word| match word {
        "FOLDER" => folder.as_os_str().to_owned(),
        word => word.into(),
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_vivant"));
    command
        .arg("snapshot")
        .args(words)
        .output()
        .expect("it runs")
}

#[test]
fn help_says_what_there_is() {
    for name in ["", "list", "show", "verify", "diff", "export"] {
        let output = vivant(Path::new(""), format!("{name} --help").trim_start());
        let text = String::from_utf8(output.stdout).expect("it is text");
        is_as_in(&format!("help_{name}"), &text);
    }
}

#[test]
fn heaps_are_shown() {
    let folder = tempfile::tempdir().expect("there is room");
    let store = DirectoryStore::new(folder.path());
    let journal = Journal::open(store, Settings::default()).expect("the folder is new");
    zoo::snapshots(&journal);
    for (line, words) in [
        ("show FOLDER 1 --actor /0 --heap", "zoo::Animal"),
        (
            "show FOLDER --actor /0 --heap --json",
            "\"unchanged_spans\":0",
        ),
        (
            "show FOLDER --actor zoo::Keeper/0 --object 2:0",
            "lives, because",
        ),
        (
            "show FOLDER --actor 0 --object 2:0 --full",
            "lives, because",
        ),
        (
            "show FOLDER --actor 0 --object 4096 --json",
            "\"object\":\"2:0\"",
        ),
    ] {
        let output = vivant(folder.path(), line);
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
        let text = String::from_utf8(output.stdout).expect("it is text");
        assert!(text.contains(words), "{line}: {text}");
    }
}

#[test]
fn exit_codes_say_what_was_found() {
    let folder = tempfile::tempdir().expect("there is room");
    let store = DirectoryStore::new(folder.path());
    let journal = Journal::open(store, Settings::default()).expect("the folder is new");
    program::snapshots(&journal);
    // A program that writes does not hinder these.
    for (line, code, words) in [
        ("list FOLDER", 0, "bank"),
        ("list FOLDER --json", 0, "\"system\":\"bank\""),
        ("show FOLDER", 0, "image 2 of `bank`"),
        ("show FOLDER 1 --type bank::Teller --full", 0, "Ada"),
        ("show FOLDER latest --actor 1", 0, "bank::Printer"),
        ("verify FOLDER", 0, "bytes\nimage 1 is intact"),
        ("verify FOLDER latest", 0, "image 2 is intact"),
        ("diff FOLDER 1 2", 1, "gone"),
        ("diff FOLDER 1 1", 0, ""),
        ("export FOLDER 1", 0, "vivant::ActorRecord"),
    ] {
        let output = vivant(folder.path(), line);
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        let text = String::from_utf8(output.stdout).expect("it is text");
        assert!(text.contains(words), "{line}: {text}");
        assert!(output.stderr.is_empty());
    }
    for (line, code, words) in [
        ("show FOLDER 9", 1, "there is no image 9"),
        ("show FOLDER --actor /7", 1, "image 2 has no actor `/7`"),
        ("show FOLDER one", 2, "a number is needed, or `latest`"),
        ("show FOLDER --full --json", 2, "cannot be used with"),
        ("show FOLDER --heap", 2, "--actor <PATH|NUMBER>"),
        ("show FOLDER --actor 2 --heap --type x", 2, "cannot be used"),
        ("show FOLDER --actor 2 --object 1", 1, "has no heap of"),
        ("show FOLDER --actor 2 --object a:1", 2, "such as `3:12`"),
        ("list FOLDER/none", 1, "give the directory"),
        ("diff FOLDER 1", 2, "<AFTER>"),
    ] {
        let output = vivant(folder.path(), line);
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        let error = String::from_utf8(output.stderr).expect("it is text");
        assert!(error.contains(words), "{line}: {error}");
        assert!(output.stdout.is_empty());
    }
}
