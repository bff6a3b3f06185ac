//! `vivant snapshot export`: all records as lines of JSON.

use super::budget::Budget;
use super::contents::Contents;
use super::file::SnapshotFile;
use super::json::{hexadecimal, json, quoted};
use super::parts::Parts;
use super::problem::Problem;
use super::verdict::Verdict;
use std::io::Write;
use vivant_journal::Record;

/// Writes each record as a line of JSON, in the order of the file. A record that cannot be read is
/// a line with the reason.
///
/// Holds one record at a time in memory, and the kinds of messages.
///
/// # Errors
///
/// The table of kinds cannot be read, or `out` fails.
pub fn export(file: &SnapshotFile, out: &mut impl Write) -> Result<Verdict, Problem> {
    let contents = Contents::of(file)?;
    let mut verdict = Verdict::Good;
    for record in file.records() {
        let (line, found) = match record {
            Ok(record) => line(&contents, &record),
            Err(error) => {
                let error = quoted(&error.to_string());
                (format!("{{\"error\":{error}}}"), Verdict::Bad)
            }
        };
        writeln!(out, "{line}")?;
        verdict = verdict.and(found);
    }
    Ok(verdict)
}

/// A record as JSON; with the reason in place of a value that cannot be read.
pub(super) fn line(contents: &Contents<'_>, record: &Record) -> (String, Verdict) {
    let (id, kind) = (record.id, record.kind);
    let file = contents.file;
    let name = file.type_of(kind).map(quoted);
    let name = name.as_deref().unwrap_or("null");
    let value = file.events(record).and_then(|events| match events {
        Some(events) => {
            let mut budget = Budget::of(record);
            Ok(("value", json(contents, &mut budget, Parts(&events))?))
        }
        None => Ok(("bytes", quoted(&hexadecimal(&record.value)))),
    });
    let ((field, json), verdict) = match value {
        Ok(value) => (value, Verdict::Good),
        Err(error) => (("error", quoted(&error.to_string())), Verdict::Bad),
    };
    let line = format!("{{\"id\":{id},\"kind\":{kind},\"type\":{name},\"{field}\":{json}}}");
    (line, verdict)
}
