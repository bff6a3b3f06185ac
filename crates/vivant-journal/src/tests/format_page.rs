//! `FORMAT.md` agrees with the source, and with a written image: a walk over its files that knows
//! no more than the page's tables finds everything where the page says.

use super::{records, small_image};
use crate::format::layout::{
    self, BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, Field, HASH_BYTES, METADATA_BYTES_MAX, NEEDED_MAX,
    SEGMENTS_MAX, VERSION, VERSION_ALONE,
};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../FORMAT.md");

/// A field as the page has it: offset, bytes, name, value.
type Row = (usize, usize, String, String);

/// The tables of fields, by the headings above them.
fn tables() -> BTreeMap<String, Vec<Row>> {
    let mut tables: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut heading = "";
    for line in PAGE.lines() {
        if let Some(text) = line.strip_prefix("### ") {
            heading = text;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", offset, bytes, name, value, ""] = cells[..]
            && let (Ok(offset), Ok(bytes)) = (offset.parse(), bytes.parse())
        {
            let row = (offset, bytes, name.to_owned(), value.to_owned());
            tables.entry(heading.to_owned()).or_default().push(row);
        }
    }
    tables
}

/// The value of a table's row with this first cell.
fn cell(name: &str) -> String {
    let row = PAGE
        .lines()
        .find_map(|line| line.strip_prefix(&format!("| {name} | ")))
        .unwrap();
    row.split(" |").next().unwrap().to_owned()
}

#[test]
fn the_tables_of_the_page_are_the_layouts_of_the_source() {
    let layouts: [(&str, &[Field]); 8] = [
        ("Segment head", layout::segment_head::ALL),
        ("Block head", layout::block_head::ALL),
        ("Table entry", layout::table_entry::ALL),
        ("Manifest head", layout::manifest_head::ALL),
        ("Needed head", layout::needed_head::ALL),
        ("Needed entry", layout::needed_entry::ALL),
        ("Segment entry", layout::segment_entry::ALL),
        ("Block entry", layout::block_entry::ALL),
    ];
    let tables = tables();
    assert_eq!(tables.len(), layouts.len(), "{:?}", tables.keys());
    for (heading, fields) in layouts {
        let page = tables[heading]
            .iter()
            .map(|(offset, bytes, name, _)| (*offset, *bytes, &**name));
        let source = fields
            .iter()
            .map(|field| (field.offset, field.bytes, field.name));
        assert!(page.eq(source), "{heading}");
    }
}

#[test]
fn the_numbers_of_the_page_are_those_of_the_source() {
    assert!(PAGE.starts_with(&format!("# The format of an image, version {VERSION}\n")));
    assert_eq!(
        cell("content of a block"),
        format!("{BLOCK_BYTES_MAX} bytes")
    );
    assert_eq!(cell("segments of an image"), SEGMENTS_MAX.to_string());
    assert_eq!(cell("metadata"), format!("{METADATA_BYTES_MAX} bytes"));
    let value = |heading: &str, field: &str| {
        let rows = &tables()[heading];
        rows.iter()
            .find(|(.., name, _)| name == field)
            .unwrap()
            .3
            .clone()
    };
    let limits = format!("{BLOCK_BYTES_MIN} to {BLOCK_BYTES_MAX}");
    assert!(value("Manifest head", "block bytes").ends_with(&limits));
    assert!(value("Manifest head", "metadata bytes").ends_with(&METADATA_BYTES_MAX.to_string()));
    assert_eq!(cell("needed images"), NEEDED_MAX.to_string());
    assert!(value("Needed head", "needed images").ends_with(&format!("1 to {NEEDED_MAX}")));
    assert_eq!(value("Segment head", "version"), VERSION_ALONE.to_string());
    let versions = format!("{VERSION_ALONE}; {VERSION} with needed images");
    assert_eq!(value("Manifest head", "version"), versions);
    assert!(PAGE.contains(&format!("The last {HASH_BYTES} bytes")));
}

/// A reader that has only the page: fields by name.
struct Walk<'a> {
    tables: BTreeMap<String, Vec<Row>>,
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    fn of(bytes: &'a [u8]) -> Walk<'a> {
        Walk {
            tables: tables(),
            rest: bytes,
        }
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (front, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        front
    }

    /// Takes a layout. Its fields by name; numbers are little-endian.
    fn fields(&mut self, heading: &str) -> BTreeMap<String, &'a [u8]> {
        let rows = self.tables[heading].clone();
        let (offset, bytes, ..) = rows.last().unwrap();
        let layout = self.take(offset + bytes);
        let field =
            |(offset, bytes, name, _): &Row| (name.clone(), &layout[*offset..*offset + *bytes]);
        rows.iter().map(field).collect()
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[test]
fn a_written_image_is_what_the_page_says() {
    let files = small_image();
    let manifest = &files["00000000000000000001.manifest"];
    let (body, hash) = manifest.split_at(manifest.len() - HASH_BYTES);
    assert_eq!(blake3::hash(body).as_bytes(), hash);
    let mut walk = Walk::of(body);
    let head = walk.fields("Manifest head");
    assert_eq!(head["magic"], b"VIVANTMF");
    assert_eq!((number(head["version"]), number(head["image"])), (1, 1));
    assert_eq!(walk.take(number(head["metadata bytes"]) as usize), [1]);

    let mut found = BTreeMap::new();
    for segment in 0..number(head["segments"]) {
        let file = &files[&format!("00000000000000000001-{segment:05}.segment")];
        let mut blocks = Walk::of(file);
        let segment_head = blocks.fields("Segment head");
        assert_eq!(segment_head["magic"], b"VIVANTSG");
        assert_eq!(number(segment_head["version"]), 1);
        assert_eq!(number(segment_head["segment"]), segment);
        assert_eq!(number(segment_head["image"]), 1);
        let segment_entry = walk.fields("Segment entry");
        let (mut table, mut values) = (Vec::new(), Vec::new());
        for _ in 0..number(segment_entry["blocks"]) {
            let before = blocks.rest;
            let block_head = blocks.fields("Block head");
            let stored = blocks.take(number(block_head["stored bytes"]) as usize);
            let block = &before[..before.len() - blocks.rest.len()];
            let block_entry = walk.fields("Block entry");
            for (name, value) in block_head.iter().filter(|(name, _)| *name != "crc32") {
                assert_eq!(*value, block_entry[name], "{name}");
            }
            assert_eq!(blake3::hash(block).as_bytes(), block_entry["hash"]);
            let covered = [&before[..12], stored].concat();
            assert_eq!(
                number(block_head["crc32"]),
                u64::from(crc32fast::hash(&covered))
            );
            let content_bytes = number(block_head["content bytes"]) as usize;
            let content = match number(block_head["compression"]) {
                0 => stored.to_vec(),
                1 => lz4_flex::block::decompress(stored, content_bytes).unwrap(),
                other => panic!("compression {other}"),
            };
            assert_eq!(content.len(), content_bytes);
            match number(block_head["block kind"]) {
                1 => table.extend(content),
                2 => values.extend(content),
                other => panic!("kind {other}"),
            }
        }
        assert_eq!(blocks.rest, b"");
        let (mut table, mut values) = (Walk::of(&table), Walk::of(&values));
        for _ in 0..number(segment_entry["records"]) {
            let entry = table.fields("Table entry");
            let value = values.take(number(entry["length"]) as usize).to_vec();
            found.insert(number(entry["id"]), (number(entry["kind"]) as u16, value));
        }
        assert_eq!((table.rest, values.rest), (&b""[..], &b""[..]));
    }
    assert_eq!(walk.rest, b"");
    assert_eq!(found, records(1));
}
