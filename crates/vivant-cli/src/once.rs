//! One snapshot as plain text, for scripts and pipes.

use crate::model::column::{Column, List};
use crate::model::look::Look;
use crate::table::{self, Keep, cut};
use crate::view::{cells, counter_lines, header, kind, pause_lines, wait_cells, wait_header};
use std::fmt::Write;

/// Wide enough for long paths; a pipe has no width of its own.
const WIDTH: usize = 120;

/// The counters, all actors by busy share, the heaps and their pauses, the waits, the dead letters,
/// the reports.
pub(crate) fn text(title: &str, look: &Look) -> String {
    let mut text = format!("{title}\n");
    for line in counter_lines(look) {
        add(&mut text, line.trim_start());
    }
    add(&mut text, "");
    add_list(&mut text, look, List::Actors, Column::Busy);
    if look.rows.iter().any(|row| List::Heaps.has(row)) {
        add(&mut text, "");
        add_list(&mut text, look, List::Heaps, Column::Live);
        add(&mut text, "");
        for line in pause_lines(look, WIDTH) {
            add(&mut text, line.trim_start());
        }
    }
    if !look.waits.is_empty() {
        add(&mut text, "");
        add(&mut text, &wait_header(WIDTH));
        for wait in &look.waits {
            add(&mut text, &wait_cells(wait, WIDTH));
        }
    }
    if !look.letters.is_empty() {
        add(&mut text, "\ndead letters");
        for letters in &look.letters {
            let facts = &letters.facts;
            let first = format!("{} from {}: {}", facts.behaviour, facts.place, facts.cause);
            let first = cut(&first, WIDTH - 10, Keep::Beginning);
            let line = table::row(WIDTH, &first, &[(9, facts.count.to_string())]);
            add(&mut text, &line);
        }
    }
    if !look.reports.is_empty() {
        add(&mut text, "\nreports, newest first");
        for report in &look.reports {
            add(&mut text, &format!("{}: {}", kind(report), report.text));
        }
    }
    text
}

fn add_list(text: &mut String, look: &Look, list: List, sort: Column) {
    add(text, header(list, sort, WIDTH).trim_start());
    for row in look.rows(list, sort, "") {
        add(text, &cells(list, row, WIDTH));
    }
}

fn add(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string");
}
