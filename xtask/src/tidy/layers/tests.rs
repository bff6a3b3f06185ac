//! Self-tests: planted cycles and upward imports must be found.

use super::*;

const NOTHING: Left = Left {
    impls: &[],
    cycles: &[],
};

fn sources(files: &[(&str, &str)]) -> Vec<Code> {
    files
        .iter()
        .map(|(path, text)| Code::new(&format!("crates/k/src/{path}"), (*text).into()))
        .collect()
}

fn document(rows: &[(&str, &str)]) -> String {
    let rows = rows.iter().map(|(folder, imports)| table::Row {
        folder: (*folder).into(),
        holds: "all".into(),
        imports: imports.split_whitespace().map(String::from).collect(),
    });
    let rows: Vec<_> = rows.collect();
    format!("### Layers of `k`\n\n{}", table::text(&rows))
}

fn findings(files: &[(&str, &str)], rows: &[(&str, &str)], left: &Left) -> Vec<String> {
    let (sources, document) = (sources(files), document(rows));
    let layers = Layers::of("k", &sources, &document);
    let findings = layers.findings(left);
    findings.iter().map(ToString::to_string).collect()
}

const ROOT: (&str, &str) = ("lib.rs", "mod a;\nmod b;\npub use a::Upper;\n");
const A: (&str, &str) = ("a/mod.rs", "mod inner;\npub use inner::Upper;\n");
const A_INNER: (&str, &str) = ("a/inner.rs", "use crate::b::Low;\npub struct Upper(Low);\n");
const ROWS: &[(&str, &str)] = &[("a", "b"), ("b", "")];

#[test]
fn imports_that_go_down_are_no_finding() {
    let b = (
        "b.rs",
        "pub struct Low;\n#[cfg(test)]\nmod tests { use crate::a::Upper; }\n",
    );
    assert_eq!(findings(&[ROOT, A, A_INNER, b], ROWS, &NOTHING), [""; 0]);
}

#[test]
fn canary_a_cycle_between_folders_is_found_behind_re_exports() {
    for text in [
        "use crate::a::Upper;\npub struct Low;",
        "use crate::Upper;\npub struct Low;",
        "use super::{a::{inner as i}};\npub struct Low;\nfn f() -> i::Upper {}",
        "pub struct Low;\nfn f() { g!(crate::a::Upper::new()) }",
        "pub use crate::a::Upper as Other;\npub struct Low;",
        "use crate::*;\npub struct Low;\nfn f() { crate::a::g() }",
    ] {
        let found = findings(&[ROOT, A, A_INNER, ("b.rs", text)], ROWS, &NOTHING);
        let is_upward = |found: &&String| found.contains("b.rs:") && found.contains("above");
        assert!(
            found.iter().any(|found| is_upward(&found)),
            "{text}: {found:?}"
        );
        let reversed = findings(
            &[ROOT, A, A_INNER, ("b.rs", text)],
            &[("b", "a"), ("a", "b")],
            &NOTHING,
        );
        assert!(
            reversed.iter().any(|found| found.contains("above")),
            "in any order"
        );
    }
}

#[test]
fn canary_a_table_that_is_out_of_date_is_found() {
    let b = ("b.rs", "pub struct Low;");
    let count = |rows: &[(&str, &str)]| findings(&[ROOT, A, A_INNER, b], rows, &NOTHING).len();
    assert_eq!(count(ROWS), 0);
    assert_eq!(count(&[("a", ""), ("b", "")]), 1, "an import is missing");
    assert_eq!(
        count(&[("a", "b"), ("b", ""), ("c", "")]),
        1,
        "a folder that is not there"
    );
    assert_eq!(count(&[("a", "")]), 1, "a folder without a row");
}

#[test]
fn canary_an_impl_outside_of_its_type_s_folder_is_found() {
    let b = ("b.rs", "pub struct Low;");
    let inner = "use crate::b::Low;\npub struct Upper(Low);\nimpl<'a, T: Fn() -> u8> Low<'a, T> {}\nimpl X for Low {}";
    let files = [ROOT, A, ("a/inner.rs", inner), b];
    let found = findings(&files, ROWS, &NOTHING);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("crates/k/src/a/inner.rs:3: an `impl`"),
        "{found:?}"
    );
    let left = |count| Left {
        impls: match count {
            0 => &[("other", "a", "b", 1, "reason")],
            1 => &[("k", "a", "b", 1, "reason")],
            _ => &[("k", "a", "b", 2, "reason")],
        },
        ..NOTHING
    };
    assert_eq!(findings(&files, ROWS, &left(0)).len(), 1, "one more");
    assert_eq!(findings(&files, ROWS, &left(1)).len(), 0);
    assert_eq!(
        findings(&files, ROWS, &left(2)).len(),
        1,
        "one less than allowed"
    );
}

#[test]
fn canary_a_cycle_of_files_is_found_and_needs_a_reason() {
    let b = (
        "b/mod.rs",
        "mod x;\nmod y;\npub(crate) use {x::X, y::Low};\n",
    );
    let x = ("b/x.rs", "use super::Low;\npub struct X;\n");
    let y = ("b/y.rs", "use super::x::X;\npub struct Low;\n");
    let files = [ROOT, A, A_INNER, b, x, y];
    let found = findings(&files, ROWS, &NOTHING);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": b/x.rs b/y.rs"), "{found:?}");
    let listed = Left {
        cycles: &[("k", &["b/x.rs", "b/y.rs"], "they need each other")],
        ..NOTHING
    };
    assert_eq!(findings(&files, ROWS, &listed).len(), 0);
    let y = ("b/y.rs", "pub struct Low;\n");
    let cut = [ROOT, A, A_INNER, b, x, y];
    assert_eq!(
        findings(&cut, ROWS, &listed).len(),
        1,
        "the list is out of date"
    );
}

#[test]
fn canary_a_cycle_of_thirteen_files_is_found_though_listed() {
    let names: Vec<String> = (0..13).map(|n| format!("f{n}")).collect();
    let mut texts = vec![("lib.rs".to_owned(), "mod b;".to_owned())];
    texts.push((
        "b/mod.rs".into(),
        names.iter().map(|name| format!("mod {name};\n")).collect(),
    ));
    for n in 0..13 {
        texts.push((
            format!("b/f{n}.rs"),
            format!("use super::f{};", (n + 1) % 13),
        ));
    }
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let found = findings(&files, &[("b", "")], &NOTHING);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("a cycle of 13 files"), "{found:?}");
    let listed: Vec<String> = (0..13).map(|n| format!("b/f{n}.rs")).collect();
    let mut listed: Vec<&'static str> = listed.into_iter().map(|name| &*name.leak()).collect();
    listed.sort_unstable();
    let cycles: &'static [_] = vec![("k", &*listed.leak(), "a reason")].leak();
    assert_eq!(
        findings(&files, &[("b", "")], &Left { cycles, ..NOTHING }),
        found
    );
}
