//! What each command prints of the snapshots of the bank.
//!
//! `INSTA_UPDATE=always cargo test -p vivant-cli` rewrites the files in `expected`.

use crate::store::MemoryStore;
use crate::{printed, program};
use vivant_cli::snapshot::{
    Cut, ListForm, Problem, Selection, ShowForm, SnapshotFile, Verdict, diff, export, list,
    numbers, show, verify,
};

fn bank() -> MemoryStore {
    let store = MemoryStore::default();
    program::snapshots(&store.journal());
    store
}

fn open(store: &MemoryStore, number: u64) -> SnapshotFile {
    SnapshotFile::open(&store.catalog(), number).expect("it is intact")
}

/// The text is that of the file, and the verdict this one.
pub(crate) fn expect(name: &str, printed: Result<(String, Verdict), Problem>, expected: Verdict) {
    let (text, verdict) = printed.expect("it can be printed");
    is_as_in(name, &text);
    assert_eq!(verdict, expected, "{text}");
}

pub(crate) fn is_as_in(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("expected");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn images_are_listed() {
    let store = bank();
    let catalog = store.catalog();
    let text = printed(|out| list(&catalog, ListForm::Text, out));
    expect("list", text, Verdict::Good);
    let json = printed(|out| list(&catalog, ListForm::Json, out));
    expect("list_json", json, Verdict::Good);
    assert_eq!(numbers(&catalog).expect("there are two"), [2, 1]);

    store
        .files()
        .retain(|name, _| !name.contains("1-00000.segment"));
    store.write(b"something else", &[]);
    let text = printed(|out| list(&catalog, ListForm::Text, out));
    expect("list_damaged", text, Verdict::Bad);
    let json = printed(|out| list(&catalog, ListForm::Json, out));
    expect("list_damaged_json", json, Verdict::Bad);

    assert_eq!(numbers(&catalog).expect("there are three"), [3, 2, 1]);

    let none = numbers(&MemoryStore::default().catalog());
    assert!(matches!(none, Err(Problem::NoImage)), "{none:?}");
    let empty = printed(|out| list(&MemoryStore::default().catalog(), ListForm::Text, out));
    assert_eq!(empty.expect("it is no error").0, "no images\n");
}

#[test]
fn actors_are_shown() {
    let file = open(&bank(), 1);
    let all = Selection::default();
    let text = printed(|out| show(&file, &all, ShowForm::Text(Cut::Short), out));
    expect("show", text, Verdict::Good);
    let json = printed(|out| show(&file, &all, ShowForm::Json, out));
    for line in json.as_ref().expect("it can be printed").0.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("it is JSON");
    }
    expect("show_json", json, Verdict::Good);
}

#[test]
fn actors_are_selected() {
    let file = open(&bank(), 1);
    let heads = |actor: Option<&str>, type_name: Option<&str>| -> Result<Vec<String>, Problem> {
        let selection = Selection {
            actor: actor.map(str::to_owned),
            type_name: type_name.map(str::to_owned),
        };
        let form = ShowForm::Text(Cut::Full);
        let (text, _) = printed(|out| show(&file, &selection, form, out))?;
        let lines = text.lines().skip(1).filter(|line| line.contains("(actor "));
        Ok(lines.map(|line| line.trim().to_owned()).collect())
    };
    let accounts = heads(None, Some("bank::Account")).expect("there are two");
    assert_eq!(accounts.len(), 2, "{accounts:?}");
    let printer = heads(None, Some("bank::Printer")).expect("there is one");
    assert_eq!(printer, ["bank::Printer/1 (actor 1), starts again"]);
    for actor in ["bank::Printer/1", "/1", "1"] {
        let found = heads(Some(actor), None).expect("there is one");
        assert_eq!(found, printer, "{actor}");
    }
    let error = heads(Some("/0/99"), None)
        .expect_err("there is none")
        .to_string();
    assert_eq!(
        error,
        "image 1 has no actor `/0/99`; give a path such as `/0/2`, or a number"
    );
}

/// Between some two steps, the value that the account returns is on its way.
#[test]
fn values_for_promises_are_shown() {
    let shown = (1..5).map(|steps| {
        let store = MemoryStore::default();
        program::snapshot_of_booking(&store.journal(), steps);
        let verified = printed(|out| verify(&store.catalog(), 1, out));
        let (text, verdict) = verified.expect("memory does not fail");
        assert_eq!(verdict, Verdict::Good, "{text}");
        let (file, all) = (open(&store, 1), Selection::default());
        let shown = printed(|out| show(&file, &all, ShowForm::Text(Cut::Full), out));
        shown.expect("it can be printed").0
    });
    let expected =
        "  waits in Inbox as 0: value for promise 1, Reply of bank::Account::pay_in, made at ";
    let shown: Vec<_> = shown.collect();
    let text = shown.iter().find(|text| text.contains(expected));
    let text = text.unwrap_or_else(|| panic!("{shown:#?}"));
    let mut lines = text.lines().skip_while(|line| !line.contains(expected));
    assert_eq!(lines.nth(1), Some("    {\"Ok\":[1000]}"));
}

#[test]
fn synchronizers_and_offers_are_shown() {
    let store = MemoryStore::default();
    program::snapshot_of_audit(&store.journal());
    let (verified, verdict) =
        printed(|out| verify(&store.catalog(), 1, out)).expect("memory does not fail");
    assert_eq!(verdict, Verdict::Good, "{verified}");
    let (file, all) = (open(&store, 1), Selection::default());
    let shown = printed(|out| show(&file, &all, ShowForm::Text(Cut::Full), out));
    let shown = shown.expect("it can be printed").0;
    assert!(shown.contains("bank::Account::pay_in, made at"), "{shown}");
    assert!(shown.contains("offered with rank 1"), "{shown}");
    let exported = printed(|out| export(&file, out));
    let exported = exported.expect("it can be printed").0;
    assert!(exported.contains(r#""kind":"bank::Audit""#), "{exported}");
    assert!(exported.contains(r#""state":{"paid_in":7}"#), "{exported}");
}

#[test]
fn images_are_verified() {
    let store = bank();
    let text = printed(|out| verify(&store.catalog(), 2, out));
    expect("verify", text, Verdict::Good);

    if let Some(file) = store.files().get_mut("00000000000000000002-00000.segment") {
        file[60] ^= 1;
    }
    let text = printed(|out| verify(&store.catalog(), 2, out));
    expect("verify_damaged", text, Verdict::Bad);
}

#[test]
fn images_are_compared() {
    let store = bank();
    let (before, after) = (open(&store, 1), open(&store, 2));
    let text = printed(|out| diff(&before, &after, Cut::Full, out));
    expect("diff", text, Verdict::Bad);
    let text = printed(|out| diff(&before, &open(&store, 1), Cut::Full, out));
    assert_eq!(
        text.expect("it can be printed"),
        (String::new(), Verdict::Good)
    );
}

#[test]
fn images_are_exported() {
    let file = open(&bank(), 1);
    let json = printed(|out| export(&file, out));
    for line in json.as_ref().expect("it can be printed").0.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("it is JSON");
    }
    expect("export", json, Verdict::Good);
}
