//! [`Text`]: lines that show an actor, a message.

use super::actors::{Actor, Waiting};
use super::budget::Budget;
use super::contents::{Contents, encoded};
use super::cut::{Cut, cut_line};
use super::heap::named_reference;
use super::json::{encoded_json, json};
use super::parts::Parts;
use super::problem::Problem;
use super::verdict::Verdict;
use vivant_codec::show_named;
use vivant_journal::Record;

/// Bytes of a state that are shown unless all are.
pub(super) const STATE_SHORT: usize = 2_000;

/// Lines that show an actor or a message.
pub(super) struct Text<'f> {
    contents: &'f Contents<'f>,
    cut: Cut,
    pub(super) lines: Vec<String>,
    pub(super) verdict: Verdict,
}

impl<'f> Text<'f> {
    pub(super) fn new(contents: &'f Contents<'f>, cut: Cut) -> Text<'f> {
        Text {
            contents,
            cut,
            lines: Vec::new(),
            verdict: Verdict::Good,
        }
    }

    /// The actor, its state, and what else its record has.
    pub(super) fn actor(&mut self, actor: &Actor, record: &Record) -> Result<(), Problem> {
        let events = self.contents.file.events(record)?.unwrap_or_default();
        let mut budget = Budget::of(record);
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
                "content" => self.content(&mut budget, part),
                _ if part.is_empty() => {}
                _ => self.field(&mut budget, name, part),
            }
        }
        Ok(())
    }

    fn content(&mut self, budget: &mut Budget, content: Parts<'_>) {
        let part = content.field("0").unwrap_or(content);
        let Some((shape, bytes)) = encoded(part) else {
            if part.fields().next().is_some() {
                self.field(budget, "content", part);
            }
            return;
        };
        let bytes_max = match self.cut {
            Cut::Short => STATE_SHORT,
            Cut::Full => budget.text(),
        };
        let mut state = String::new();
        let shapes = self.contents.file.shapes();
        let shown = show_named(
            shapes,
            shape,
            bytes,
            bytes_max,
            &named_reference,
            &mut state,
        );
        budget.take_text(state.len());
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
    fn field(&mut self, budget: &mut Budget, name: &str, part: Parts<'_>) {
        match part.is_sequence() {
            true => part.elements().for_each(|it| self.line(budget, name, it)),
            false => self.line(budget, name, part),
        }
    }

    fn line(&mut self, budget: &mut Budget, name: &str, part: Parts<'_>) {
        let json = self.json(budget, part);
        let name = cut_line(name, Cut::Short);
        self.push(&format!("  {name}: {json}"));
    }

    /// Waiting messages and their place, of which the first one has the number `next`. That is
    /// counted up.
    pub(super) fn waiting(
        &mut self,
        waiting: &Waiting,
        record: &Record,
        next: &mut u64,
    ) -> Result<(), Problem> {
        let events = self.contents.file.events(record)?.unwrap_or_default();
        let mut budget = Budget::of(record);
        for message in Waiting::messages(Parts(&events)) {
            let at = self.lines.len();
            self.message(&mut budget, message);
            if let Some(first) = self.lines.get_mut(at) {
                let place = &waiting.place.1;
                first.insert_str(0, &format!("  waits in {place} as {next}: "));
            }
            *next += 1;
        }
        Ok(())
    }

    /// What a message is and where it was made; on the next line, its arguments or value.
    pub(super) fn message(&mut self, budget: &mut Budget, part: Parts<'_>) {
        let message = self.contents.message(budget, part);
        let message = message.and_then(|message| match message {
            Some(it) if !budget.take_text(it.text()) => Err(budget.used_up()),
            message => Ok(message),
        });
        let message = match message {
            Ok(Some(message)) => message,
            Ok(None) => {
                let json = self.json(budget, part);
                return self.push(&json);
            }
            Err(error) => {
                self.verdict = Verdict::Bad;
                return self.push(&format!("cannot be read: {error}"));
            }
        };
        let waits_as = part.field("waits_as").and_then(waits_as);
        let arrival = message
            .fields()
            .find_map(|(name, part)| match (name, waits_as) {
                ("kind", Some(("Arrival", promise))) => arrival(part, promise?),
                _ => None,
            });
        let mut words = Vec::new();
        for (name, part) in message.fields() {
            words.push(match name {
                "kind" => match arrival.clone().or_else(|| kind(part)) {
                    Some(kind) => kind,
                    None => self.json(budget, part),
                },
                // It is named with the kind.
                "waits_as" if arrival.is_some() => continue,
                "waits_as" => match waits_as {
                    Some(("Message", _)) => continue,
                    Some(("Offered", Some(rank))) => format!("offered with rank {rank}"),
                    Some(("Committed", _)) => "to be dispatched next".to_owned(),
                    _ => format!("waits as {}", self.json(budget, part)),
                },
                "made" => {
                    let place = place(part).unwrap_or_else(|| self.json(budget, part));
                    format!("made at {place}")
                }
                _ if part.is_empty() => continue,
                _ => {
                    let name = cut_line(name, Cut::Short);
                    format!("{name} {}", self.json(budget, part))
                }
            });
        }
        self.push(&words.join(", "));
        let content = encoded_json(self.contents, budget, message.content());
        let content = self.readable(content);
        self.push(&format!("    {content}"));
    }

    fn json(&mut self, budget: &mut Budget, part: Parts<'_>) -> String {
        let json = json(self.contents, budget, part);
        self.readable(json)
    }

    fn readable(&mut self, text: Result<String, Problem>) -> String {
        text.unwrap_or_else(|error| {
            self.verdict = Verdict::Bad;
            format!("cannot be read: {error}")
        })
    }

    fn push(&mut self, line: &str) {
        self.lines.push(cut_line(line, self.cut));
    }
}

/// The name of a message.
fn kind(what: Parts<'_>) -> Option<String> {
    let ((_, "Message"), content) = (what.variant()?, what.field("0")?) else {
        return None;
    };
    let name = content.field("name")?.text()?;
    Some(match content.field("form")?.variant()?.1 {
        "Message" => name.to_owned(),
        form => format!("{form} {name}"),
    })
}

/// What a message waits as, and the number of that.
fn waits_as(part: Parts<'_>) -> Option<(&str, Option<u64>)> {
    let (_, name) = part.variant()?;
    Some((name, part.field("0").and_then(Parts::number)))
}

/// The promise to which a message brings a value.
fn arrival(what: Parts<'_>, promise: u64) -> Option<String> {
    let ((_, "Arrival"), value) = (what.variant()?, what.field("0")?) else {
        return None;
    };
    let of = value.field("of")?.variant()?.1;
    let behaviour = value.field("behaviour")?.text()?;
    Some(format!("value for promise {promise}, {of} of {behaviour}"))
}

fn place(made: Parts<'_>) -> Option<String> {
    let number = |name| made.field(name)?.number();
    let file = made.field("file")?.text()?;
    Some(format!("{file}:{}:{}", number("line")?, number("column")?))
}
