//! [`Text`]: lines that show an actor, a message.

use super::actors::{Actor, Waiting};
use super::file::SnapshotFile;
use super::json::{json, text_bytes_max};
use super::parts::Parts;
use super::problem::Problem;
use super::verdict::Verdict;
use vivant_codec::show;
use vivant_journal::Record;

/// Bytes of a state and characters of a line that are shown unless all are.
const STATE_SHORT: usize = 2_000;
const LINE_SHORT: usize = 160;

/// How much of large values is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `…` stands for the rest.
    Short,
    /// All of them.
    Full,
}

/// Lines that show an actor or a message.
pub(super) struct Text<'f> {
    file: &'f SnapshotFile,
    cut: Cut,
    pub(super) lines: Vec<String>,
    pub(super) verdict: Verdict,
}

impl<'f> Text<'f> {
    pub(super) fn new(file: &'f SnapshotFile, cut: Cut) -> Text<'f> {
        Text {
            file,
            cut,
            lines: Vec::new(),
            verdict: Verdict::Good,
        }
    }

    /// The actor, its state, and what else its record has.
    pub(super) fn actor(&mut self, actor: &Actor, record: &Record) -> Result<(), Problem> {
        let events = self.file.events(record)?.unwrap_or_default();
        let parts = Parts(&events);
        let kind = parts.field("content").and_then(Parts::variant);
        let kind = match kind {
            Some((_, "State")) => "saved",
            Some((_, "Start")) => "starts again",
            Some((_, "Unstarted")) => "not started",
            Some((_, "NotSaved")) => "not saved",
            Some((_, other)) => other,
            None => "unknown",
        };
        self.lines.push(format!(
            "{} (actor {}), {}",
            actor.name(),
            actor.id,
            kind.escape_debug()
        ));
        for (name, part) in parts.fields() {
            match name {
                "id" | "class" | "path" => {}
                "content" => self.content(record, part),
                _ if part.is_empty() => {}
                _ => self.field(record, name, part),
            }
        }
        Ok(())
    }

    fn content(&mut self, record: &Record, content: Parts<'_>) {
        let part = content.field("0").unwrap_or(content);
        let Some(((shape, bytes), _)) = part.encoded_first() else {
            if part.fields().next().is_some() {
                self.field(record, "content", part);
            }
            return;
        };
        let bytes_max = match self.cut {
            Cut::Short => STATE_SHORT,
            Cut::Full => text_bytes_max(record),
        };
        let mut state = String::new();
        let shown = show(self.file.shapes(), shape, bytes, bytes_max, &mut state);
        let mut lines = state.lines();
        let first = lines.next().unwrap_or_default();
        self.lines.push(format!("  state: {first}"));
        self.lines.extend(lines.map(|line| format!("  {line}")));
        if let Err(error) = shown {
            self.verdict = Verdict::Bad;
            self.push(&format!("  state cannot be read: {error}"));
        }
    }

    /// A field of a record; of a sequence, a line for each element.
    fn field(&mut self, record: &Record, name: &str, part: Parts<'_>) {
        match part.is_sequence() {
            true => part.elements().for_each(|it| self.line(record, name, it)),
            false => self.line(record, name, part),
        }
    }

    fn line(&mut self, record: &Record, name: &str, part: Parts<'_>) {
        let json = self.json(record, part);
        self.push(&format!("  {}: {json}", name.escape_debug()));
    }

    /// A waiting message and its place.
    pub(super) fn message(&mut self, message: &Waiting, record: &Record) -> Result<(), Problem> {
        let at = self.lines.len();
        self.what_waits(record)?;
        if let Some(first) = self.lines.get_mut(at) {
            let (place, ordinal) = (&message.place.1, message.ordinal);
            first.insert_str(0, &format!("  waits in {place} as {ordinal}: "));
        }
        Ok(())
    }

    /// What a message is and where it was made; on the next line, its arguments or value.
    pub(super) fn what_waits(&mut self, record: &Record) -> Result<(), Problem> {
        let events = self.file.events(record)?.unwrap_or_default();
        let message = Parts(&events).field("message");
        let (mut words, mut content) = (Vec::new(), None);
        for (name, part) in message.into_iter().flat_map(Parts::fields) {
            words.push(match name {
                "actor" => continue,
                "kind" => kind(part).unwrap_or_else(|| self.json(record, part)),
                "made" => {
                    let place = place(part).unwrap_or_else(|| self.json(record, part));
                    format!("made at {place}")
                }
                "content" => {
                    content = Some(self.json(record, part));
                    continue;
                }
                _ if part.is_empty() => continue,
                _ => format!("{name} {}", self.json(record, part)),
            });
        }
        self.push(&words.join(", "));
        if let Some(content) = content {
            self.push(&format!("    {content}"));
        }
        Ok(())
    }

    fn json(&mut self, record: &Record, part: Parts<'_>) -> String {
        json(self.file, record, part).unwrap_or_else(|error| {
            self.verdict = Verdict::Bad;
            format!("cannot be read: {error}")
        })
    }

    fn push(&mut self, line: &str) {
        self.lines.push(cut_line(line, self.cut));
    }
}

/// The name of a message, or the promise to which it brings a value.
fn kind(kind: Parts<'_>) -> Option<String> {
    let content = kind.field("0")?;
    match kind.variant()?.1 {
        "Message" => {
            let name = content.field("name")?.text()?;
            Some(match content.field("form")?.variant()?.1 {
                "Message" => name.to_owned(),
                form => format!("{form} {name}"),
            })
        }
        "Arrival" => {
            let promise = content.field("promise")?.number()?;
            let value = content.field("value")?;
            let of = value.field("of")?.variant()?.1;
            let behaviour = value.field("behaviour")?.text()?;
            Some(format!("value for promise {promise}, {of} of {behaviour}"))
        }
        _ => None,
    }
}

fn place(made: Parts<'_>) -> Option<String> {
    let number = |name| made.field(name)?.number();
    let file = made.field("file")?.text()?;
    Some(format!("{file}:{}:{}", number("line")?, number("column")?))
}

/// A line for a terminal: without control characters, and cut if large values are.
pub(super) fn cut_line(line: &str, cut: Cut) -> String {
    let end = match cut {
        Cut::Short => line.char_indices().nth(LINE_SHORT).map(|(at, _)| at),
        Cut::Full => None,
    };
    let (shown, rest) = match end {
        Some(end) => (&line[..end], "…"),
        None => (line, ""),
    };
    let mut safe = String::with_capacity(shown.len());
    for c in shown.chars() {
        match c.is_control() {
            true => safe.extend(c.escape_debug()),
            false => safe.push(c),
        }
    }
    safe + rest
}
