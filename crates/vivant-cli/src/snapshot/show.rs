//! `vivant snapshot show`: the actors of an image as a tree, with their states and messages.

use super::actors::{Actor, Ordered};
use super::contents::Contents;
use super::cut::{Cut, cut_line};
use super::export;
use super::file::SnapshotFile;
use super::heap::HeapSizes;
use super::problem::Problem;
use super::text::Text;
use super::verdict::Verdict;
use std::collections::BTreeMap;
use std::io::Write;

/// The depth that is shown by indentation.
const INDENTED_MAX: usize = 20;

/// How actors are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowForm {
    /// A tree.
    Text(Cut),
    /// A line of JSON for each actor: its record, and those of messages for it.
    Json,
}

/// Which actors are shown: those that fit both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The actor with this path, as `/0/2` with or without its type before it, or with this number.
    pub actor: Option<String>,
    /// The actors of this type.
    pub type_name: Option<String>,
}

impl Selection {
    /// Whether the actor is selected.
    pub(super) fn has(&self, actor: &Actor) -> bool {
        let is_named = |wanted: &String| {
            let name = actor.name();
            let path = name.strip_prefix(&*actor.class.escape_debug().to_string());
            *wanted == name || Some(&**wanted) == path || *wanted == actor.id.to_string()
        };
        self.actor.as_ref().is_none_or(is_named)
            && self.type_name.as_ref().is_none_or(|it| *it == actor.class)
    }
}

/// Shows the actors of an image, parents before their children. A value that cannot be read is
/// shown with the reason.
///
/// Holds the records of the image in memory.
///
/// # Errors
///
/// The image cannot be read, has no selected actor, or `out` fails.
pub fn show(
    file: &SnapshotFile,
    selection: &Selection,
    form: ShowForm,
    out: &mut impl Write,
) -> Result<Verdict, Problem> {
    let contents = Contents::of(file)?;
    let ordered = Ordered::read(file)?;
    let selected = ordered.actors.iter().filter(|it| selection.has(it));
    let selected: Vec<&Actor> = selected.collect();
    if let (true, Some(actor)) = (selected.is_empty(), &selection.actor) {
        let (number, actor) = (file.header().number, actor.clone());
        return Err(Problem::NoActor { number, actor });
    }
    let mut heaps = HeapSizes::new(file);
    let is_other = |at: &usize| heaps.add(&ordered.records[*at]).is_err();
    // Records of a later version are shown as they are.
    let of_other_form: Vec<usize> = ordered.heaps.iter().copied().filter(is_other).collect();
    let mut verdict = Verdict::Good;
    if form != ShowForm::Json {
        writeln!(out, "{}", head(file))?;
    }
    for actor in selected {
        let waiting = ordered.waiting_at(actor.id);
        match form {
            ShowForm::Json => {
                let (line, found) = json_line(&contents, &ordered, actor, &heaps);
                writeln!(out, "{line}")?;
                verdict = verdict.and(found);
            }
            ShowForm::Text(cut) => {
                let mut text = Text::new(&contents, cut);
                text.actor(actor, &ordered.records[actor.record])?;
                let heap = heaps.get(actor.id);
                text.lines.extend(heap.map(|it| format!("  {}", it.line())));
                let mut numbers = BTreeMap::<u32, u64>::new();
                let mut records = waiting.iter();
                loop {
                    let depth = actor.path.len().saturating_sub(1).min(INDENTED_MAX);
                    for line in text.lines.drain(..) {
                        writeln!(out, "{:indent$}{line}", "", indent = depth * 2)?;
                    }
                    let Some(waiting) = records.next() else {
                        break;
                    };
                    let number = numbers.entry(waiting.place.0).or_default();
                    text.waiting(waiting, &ordered.records[waiting.record], number)?;
                }
                verdict = verdict.and(text.verdict);
            }
        }
    }
    if *selection == Selection::default() {
        for &other in ordered.others.iter().chain(&of_other_form) {
            let (line, found) = export::line(&contents, &ordered.records[other]);
            match form {
                ShowForm::Json => writeln!(out, "{line}")?,
                ShowForm::Text(cut) => writeln!(out, "record {}", cut_line(&line, cut))?,
            }
            verdict = verdict.and(found);
        }
    }
    Ok(verdict)
}

/// A line about the image.
pub(super) fn head(file: &SnapshotFile) -> String {
    let header = file.header();
    format!(
        "image {} of `{}`, {}: {} saved, {} restarting, {} not saved, {} messages",
        header.number,
        header.system.escape_debug(),
        header.taken_at,
        header.saved,
        header.restarting,
        header.not_saved,
        header.messages
    )
}

fn json_line(
    contents: &Contents<'_>,
    ordered: &Ordered,
    actor: &Actor,
    heaps: &HeapSizes<'_>,
) -> (String, Verdict) {
    let (own, mut verdict) = export::line(contents, &ordered.records[actor.record]);
    let mut messages = Vec::new();
    for message in ordered.waiting_at(actor.id) {
        let (line, found) = export::line(contents, &ordered.records[message.record]);
        messages.push(line);
        verdict = verdict.and(found);
    }
    let messages = messages.join(",");
    let heap = heaps.get(actor.id);
    let heap = heap.map(|it| format!(",\"heap\":{}", it.json()));
    let heap = heap.unwrap_or_default();
    (
        format!("{{\"actor\":{own},\"waiting\":[{messages}]{heap}}}"),
        verdict,
    )
}
