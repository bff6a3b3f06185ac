//! `vivant snapshot verify`: reads everything, and says what is wrong.

use super::actors::{Actor, Role, Waiting};
use super::budget::Budget;
use super::contents::Contents;
use super::file::SnapshotFile;
use super::heap::is_to_object;
use super::parts::Parts;
use super::problem::Problem;
use super::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use vivant_codec::{Event, Group};
use vivant_journal::{Catalog, Record};

/// Lines that are printed of what is wrong; of the rest, the number is.
const LINES_MAX: usize = 100;

/// The name of a promise within a value: its owner is an actor.
const PROMISE: &str = "vivant::PromiseName";

/// Reads an image as a whole, and prints what is wrong with it: checksums, tables, values that are
/// not encoded by their shapes, references to actors that never were, messages of unknown kinds,
/// messages for actors that are not in the image, two actors with one number, two records of
/// messages with one place.
///
/// Holds one record at a time in memory, the kinds of messages, and the numbers of actors and of
/// records of messages.
///
/// # Errors
///
/// `out` fails, or the store. What is wrong with the image is printed.
pub fn verify(catalog: &Catalog, number: u64, out: &mut impl Write) -> Result<Verdict, Problem> {
    let found = SnapshotFile::open(catalog, number).and_then(|file| {
        let found = Found::in_contents(&Contents::of(&file)?);
        Ok((file, found))
    });
    let (file, found) = match found {
        Ok(found) => found,
        Err(problem) => {
            writeln!(out, "image {number}: {problem}")?;
            return Ok(Verdict::Bad);
        }
    };
    for line in &found.wrong {
        writeln!(out, "image {number}: {}", line.escape_debug())?;
    }
    if found.more > 0 {
        writeln!(out, "image {number}: {} more of these", found.more)?;
    }
    if !found.wrong.is_empty() {
        return Ok(Verdict::Bad);
    }
    let (actors, messages) = (found.actors.len(), found.messages);
    writeln!(
        out,
        "image {number} is intact: {} records, {actors} actors, {messages} messages, {} bytes",
        found.records,
        file.header().bytes
    )?;
    Ok(Verdict::Good)
}

/// What the records of an image have.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    more: usize,
    records: usize,
    messages: u64,
    /// The number of the next actor, as the system's record says.
    next: Option<u64>,
    /// The numbers of the actors.
    actors: BTreeSet<u64>,
    paths: BTreeSet<Vec<u64>>,
    /// The actors to which references lead, each with the first record that has one.
    referred: BTreeMap<u64, u64>,
    /// The actors for which messages wait, likewise.
    receivers: BTreeMap<u64, u64>,
    /// The actors, places and ordinals of records of messages.
    places: BTreeSet<(u64, u32, u64)>,
}

impl Found {
    fn in_contents(contents: &Contents<'_>) -> Found {
        let file = contents.file;
        let mut found = Found::default();
        for (number, kind) in contents.kinds.iter().enumerate() {
            if file.shapes().name(kind.shape).is_none() {
                found.wrong(format!(
                    "kind {number} of messages has a shape that is not in the table of shapes"
                ));
            }
        }
        for record in file.records() {
            found.records += 1;
            let read = record.and_then(|record| found.record(contents, &record));
            if let Err(problem) = read {
                found.wrong(problem.to_string());
            }
        }
        found.compare(file);
        found
    }

    fn wrong(&mut self, line: String) {
        match self.wrong.len() < LINES_MAX {
            true => self.wrong.push(line),
            false => self.more += 1,
        }
    }

    fn record(&mut self, contents: &Contents<'_>, record: &Record) -> Result<(), Problem> {
        let file = contents.file;
        let (id, kind) = (record.id, record.kind);
        let Some(events) = file.events(record)? else {
            let text = format!("record {id} is of kind {kind}, of which the image has no shape");
            self.wrong(text);
            return Ok(());
        };
        let parts = Parts(&events);
        match Role::of(file, record) {
            Role::Actor => self.actor(id, Actor::of(0, id, parts)?),
            Role::Waiting => self.waiting(id, &Waiting::of(0, record, parts)?),
            Role::Image => {
                let numbers = parts.field("numbers");
                let next = numbers.and_then(|it| it.elements().next()?.number());
                self.next = self.next.or(next);
            }
            Role::Heap | Role::Other => {}
        }
        let mut references = References::default();
        contents.visit(&mut Budget::of(record), parts, |event| {
            if let Some(actor) = references.actor(event) {
                self.referred.entry(actor).or_insert(id);
            }
            true
        })
    }

    fn actor(&mut self, record: u64, actor: Actor) {
        if !self.actors.insert(actor.id) {
            let text = format!("record {record} is a second one of actor {}", actor.id);
            self.wrong(text);
        }
        let name = actor.name();
        if !self.paths.insert(actor.path) {
            self.wrong(format!(
                "record {record} is a second actor with the path of {name}"
            ));
        }
    }

    fn waiting(&mut self, record: u64, waiting: &Waiting) {
        self.messages = self.messages.saturating_add(waiting.messages);
        self.receivers.entry(waiting.actor).or_insert(record);
        let place = (waiting.actor, waiting.place.0, waiting.ordinal);
        if !self.places.insert(place) {
            self.wrong(format!(
                "record {record} is a second one with number {} of messages in {} of actor {}",
                waiting.ordinal, waiting.place.1, waiting.actor
            ));
        }
    }

    /// What can be said after all records are read.
    fn compare(&mut self, file: &SnapshotFile) {
        let header = file.header();
        // Actors that are not saved have no record.
        let counts = [header.saved, header.restarting];
        let actors = counts.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
        if actors != self.actors.len() as u64 {
            let found = self.actors.len();
            self.wrong(format!(
                "the header counts {actors} actors, and there are {found}"
            ));
        }
        let messages = header.messages;
        if messages != self.messages {
            let found = self.messages;
            self.wrong(format!(
                "the header counts {messages} messages, and there are {found}"
            ));
        }
        for (actor, record) in std::mem::take(&mut self.receivers) {
            if !self.actors.contains(&actor) {
                let text = format!(
                    "record {record} has messages for actor {actor}, which is not in the image"
                );
                self.wrong(text);
            }
        }
        let Some(next) = self.next else {
            return self.wrong("the image has no record of the system".to_owned());
        };
        let own = self.actors.last().filter(|last| **last >= next);
        if let Some(own) = own {
            self.wrong(format!(
                "actor {own} is in the image, and the next one to be made is {next}"
            ));
        }
        // An actor that ended before is not in the image.
        for (actor, record) in std::mem::take(&mut self.referred).split_off(&next) {
            let text = format!(
                "record {record} refers to actor {actor}, and the next one to be made is {next}"
            );
            self.wrong(text);
        }
    }
}

/// Finds the actors to which a value refers.
#[derive(Default)]
struct References {
    is_promise: bool,
    is_next: bool,
}

impl References {
    /// The actor that this event names.
    fn actor(&mut self, event: Event<'_, '_>) -> Option<u64> {
        let was_next = std::mem::take(&mut self.is_next);
        match event {
            Event::Begin(Group::Reference(name)) => self.is_next = !is_to_object(name),
            Event::Begin(Group::Variant { of, .. }) => self.is_promise = of == PROMISE,
            Event::Field("owner") => self.is_next = self.is_promise,
            Event::Unsigned(actor) if was_next => return u64::try_from(actor).ok(),
            _ => {}
        }
        None
    }
}
