//! The page of the format says what the source says.

use super::record_kind::RecordKind;

const PAGE: &str = include_str!("../README.md");
const SOURCES: [&str; 18] = [
    include_str!("../image.rs"),
    include_str!("../message_record.rs"),
    include_str!("../message_kinds.rs"),
    include_str!("../census.rs"),
    include_str!("../tables.rs"),
    include_str!("../alarms.rs"),
    include_str!("../memberships.rs"),
    include_str!("../synchronizers.rs"),
    include_str!("../monitors.rs"),
    include_str!("../ended.rs"),
    include_str!("../start_record.rs"),
    include_str!("../supervised.rs"),
    include_str!("../stopping.rs"),
    include_str!("../death_watches.rs"),
    include_str!("../../actor/saved_terms.rs"),
    include_str!("../../actor/shared_table.rs"),
    include_str!("header.rs"),
    include_str!("shapes_record.rs"),
];

/// One space between words.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of a list in the source, without the comma at its end.
fn parts(list: &str) -> String {
    flat(list).trim_end_matches(',').to_owned()
}

/// The declarations of records in a source, as the page has them.
fn declared(source: &str) -> Vec<String> {
    let mut declared = Vec::new();
    for (keyword, is_enum) in [("saved_struct!(", false), ("saved_enum!(", true)] {
        for rest in source.split(keyword).skip(1) {
            let (head, rest) = rest.split_once('{').expect("it has parts");
            let (list, _) = rest.split_once("});").expect("it ends");
            let name = head.split('"').nth(1).expect("it has a stable name");
            let name = name.trim_start_matches("vivant::");
            let list = parts(list);
            declared.push(match is_enum {
                true => {
                    let list = list.replace(" { 0: ", "(").replace(" { ns: ", "(");
                    let list = list.replace(" }", ")");
                    format!("enum {name} {{ {list} }}")
                }
                false => {
                    let fields = list.split(", ").map(|field| {
                        field.trim_start_matches(|it: char| it.is_ascii_digit() || it == ' ')
                    });
                    let list = fields.collect::<Vec<_>>().join(", ");
                    let list = list.replace("ShapeId", "u32");
                    format!("struct {name} {{ {list} }}")
                }
            });
        }
    }
    declared
}

#[test]
fn the_page_has_each_record() {
    let page = flat(PAGE);
    let all: Vec<_> = SOURCES.into_iter().flat_map(declared).collect();
    assert_eq!(all.len(), 56, "{all:#?}");
    for declaration in all {
        assert!(page.contains(&declaration), "the page lacks: {declaration}");
    }
}

#[test]
fn the_page_has_each_kind() {
    for kind in RecordKind::ALL {
        let row = format!("| {kind:?} | {} |", kind.number()).to_lowercase();
        assert!(PAGE.contains(&row), "the page lacks: {row}");
        assert_eq!(RecordKind::of(kind.number()), Some(kind));
    }
    assert!(PAGE.contains(&format!("`format` is {}.", super::header::FORMAT)));
}
