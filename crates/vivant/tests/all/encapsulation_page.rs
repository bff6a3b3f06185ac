//! `docs/encapsulation.md` quotes programs and messages of the compiler. Each quotation is a whole
//! file of `tests/ui`, which the test of refused programs pins.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The files that the page quotes have names that begin with this.
const OF_THE_PAGE: &str = "encapsulation_";

fn ui() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/encapsulation.md");
    fs::read_to_string(path).unwrap()
}

/// The quotations of a page: the name of the file, and the text. A comment with the name stands
/// above the block.
fn quotations(page: &str) -> Vec<(String, String)> {
    let mut lines = page.lines();
    let mut quotations = Vec::new();
    while let Some(line) = lines.next() {
        let name = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(name) = name {
            let fence = lines.next().unwrap();
            assert!(fence.starts_with("```"), "a block follows `{line}`");
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            quotations.push((name.to_owned(), block.join("\n")));
        }
    }
    quotations
}

/// The names of the files that differ from their quotations.
fn wrong(quotations: &[(String, String)]) -> Vec<&str> {
    let differs = |name: &str, text: &str| match fs::read_to_string(ui().join(name)) {
        Ok(file) => file.trim_end() != text,
        Err(_) => true,
    };
    let wrong = quotations.iter().filter(|(name, text)| differs(name, text));
    wrong.map(|(name, _)| &**name).collect()
}

#[test]
fn quotations_are_the_pinned_files() {
    let quotations = quotations(&page());
    assert_eq!(wrong(&quotations), [""; 0]);
}

#[test]
fn every_file_of_the_page_is_quoted() {
    let quoted: BTreeSet<String> = quotations(&page())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let names = fs::read_dir(ui()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter(|name| name.starts_with(OF_THE_PAGE)).collect();
    assert_eq!(quoted, files);
    assert!(files.len() >= 2 * 5, "a program and a message for each row");
}

#[test]
fn canary_a_quotation_that_differs_is_found() {
    let quotations = quotations(&page().replace("cannot leave its heap", "may leave its heap"));
    assert_eq!(wrong(&quotations), ["encapsulation_message.stderr"]);
}
