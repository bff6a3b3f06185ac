//! `vivant snapshot diff`: what differs between two images.

use super::actors::{Actor, BYTES_MAX, Ordered, Waiting};
use super::budget::Budget;
use super::contents::Contents;
use super::cut::{Cut, cut_line};
use super::export::line;
use super::file::SnapshotFile;
use super::line_diff::{Change, changed_lines};
use super::parts::Parts;
use super::problem::Problem;
use super::text::Text;
use super::verdict::Verdict;
use std::collections::BTreeMap;
use std::io::Write;
use vivant_journal::Record;

/// Shows which actors are new, gone or changed in `after`, by their numbers; then the same of
/// waiting messages, and of records of other kinds. Where they wait in the order of their mailbox
/// is not compared.
///
/// Holds the records of both images in memory.
///
/// # Errors
///
/// One of the images cannot be read, or `out` fails.
pub fn diff(
    before: &SnapshotFile,
    after: &SnapshotFile,
    cut: Cut,
    out: &mut impl Write,
) -> Result<Verdict, Problem> {
    let (before, after) = (Side::read(before)?, Side::read(after)?);
    let mut verdict = Verdict::Good;
    let mut differs = |lines: Vec<String>| -> Result<(), Problem> {
        verdict = Verdict::Bad;
        for line in lines {
            writeln!(out, "{}", cut_line(&line, cut))?;
        }
        Ok(())
    };
    for (id, actor) in &before.actors {
        if !after.actors.contains_key(id) {
            let name = actor.name();
            differs(vec![format!("gone: {name} (actor {id})")])?;
        }
    }
    for (id, actor) in &after.actors {
        let now = after.lines(actor)?;
        match before.actors.get(id) {
            None => differs(first_with("new: ", now))?,
            Some(old) => {
                let old = before.lines(old)?;
                if old != now {
                    differs(changes(actor, &old, &now))?;
                }
            }
        }
    }
    let (old, new) = (before.others()?, after.others()?);
    for (word, these, those) in [("gone", &old, &new), ("new", &new, &old)] {
        for (line, count) in these {
            let extra = count.saturating_sub(those.get(line).copied().unwrap_or(0));
            for _ in 0..extra {
                differs(vec![format!("{word}: {line}")])?;
            }
        }
    }
    Ok(verdict)
}

/// One of the two images.
struct Side<'f> {
    contents: Contents<'f>,
    ordered: Ordered,
    actors: BTreeMap<u64, Actor>,
}

impl<'f> Side<'f> {
    fn read(file: &'f SnapshotFile) -> Result<Side<'f>, Problem> {
        let mut ordered = Ordered::read(file)?;
        let actors = std::mem::take(&mut ordered.actors);
        let actors = actors.into_iter().map(|actor| (actor.id, actor)).collect();
        Ok(Side {
            contents: Contents::of(file)?,
            ordered,
            actors,
        })
    }

    fn lines(&self, actor: &Actor) -> Result<Vec<String>, Problem> {
        let mut text = Text::new(&self.contents, Cut::Full);
        text.actor(actor, &self.ordered.records[actor.record])?;
        Ok(text.lines)
    }

    /// Messages and records of other kinds as lines, with how many are equal.
    fn others(&self) -> Result<BTreeMap<String, usize>, Problem> {
        let file = self.contents.file;
        let mut all = BTreeMap::new();
        let mut bytes = 0_u64;
        let mut add = |line: String| -> Result<(), Problem> {
            bytes += line.len() as u64;
            if bytes > BYTES_MAX {
                return Err(file.too_large(bytes, BYTES_MAX));
            }
            *all.entry(line).or_default() += 1;
            Ok(())
        };
        for waiting in self.ordered.waiting.values().flatten() {
            let id = waiting.actor;
            let to = match self.actors.get(&id) {
                Some(actor) => format!("{} (actor {id})", actor.name()),
                None => format!("actor {id}"),
            };
            let record = &self.ordered.records[waiting.record];
            let events = file.events(record)?.unwrap_or_default();
            let mut budget = Budget::of(record);
            for message in Waiting::messages(Parts(&events)) {
                let mut text = Text::new(&self.contents, Cut::Full);
                text.message(&mut budget, message);
                let what = text.lines.iter().map(|line| line.trim_start());
                let what = what.collect::<Vec<_>>().join(" ");
                add(format!("message to {to}, in {}: {what}", waiting.place.1))?;
            }
        }
        for &other in self.ordered.others.iter().chain(&self.ordered.heaps) {
            let record = &self.ordered.records[other];
            add(other_line(&self.contents, record))?;
        }
        Ok(all)
    }
}

/// A record of another kind. Its id is another one in each image.
fn other_line(contents: &Contents<'_>, record: &Record) -> String {
    let (line, _) = line(contents, record);
    let value = line
        .split_once(",\"type\":")
        .map_or(&*line, |(_, value)| value);
    format!("record {{\"type\":{value}")
}

fn first_with(word: &str, mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, word);
    }
    lines
}

fn changes(actor: &Actor, old: &[String], now: &[String]) -> Vec<String> {
    let mut lines = vec![format!("changed: {} (actor {})", actor.name(), actor.id)];
    lines.extend(
        changed_lines(old, now)
            .into_iter()
            .map(|change| match change {
                Change::Gone(line) => format!("  -{line}"),
                Change::New(line) => format!("  +{line}"),
            }),
    );
    lines
}
