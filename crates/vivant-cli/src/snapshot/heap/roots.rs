//! [`Roots`]: what of an image refers into the heap of an actor.

use super::field_path::FieldPath;
use super::references::{Reference, References};
use crate::snapshot::budget::Budget;
use crate::snapshot::contents::Contents;
use crate::snapshot::parts::Parts;
use crate::snapshot::problem::Problem;
use crate::snapshot::tables::FoundRecord;

/// Records of messages, which say for which actor they are.
const MESSAGES: [&str; 2] = ["vivant::WaitingRecord", "vivant::MessageRecord"];
/// Where the state is in the record of an actor.
const STATE: &str = ".content.0";

/// The record of an actor, and those of messages for it.
///
/// A reference has its number among all of these records.
pub(super) struct Roots<'c, 'f> {
    contents: &'c Contents<'f>,
    actor: FoundRecord,
    messages: Vec<FoundRecord>,
    /// The number of the heap.
    heap: u64,
}

impl<'c, 'f> Roots<'c, 'f> {
    /// Those of the actor with this record and number, into the heap with this number.
    pub(super) fn read(
        contents: &'c Contents<'f>,
        actor: FoundRecord,
        id: u64,
        heap: u64,
    ) -> Result<Self, Problem> {
        let file = contents.file;
        let mut messages = Vec::new();
        for type_name in MESSAGES {
            for record in file.tables.records(&file.image, type_name) {
                let record = record?;
                let events = file.events_in(record.parts())?.unwrap_or_default();
                let is_for = Parts(&events).field("actor").and_then(Parts::number) == Some(id);
                drop(events);
                if is_for {
                    messages.push(record);
                }
            }
        }
        Ok(Roots {
            contents,
            actor,
            messages,
            heap,
        })
    }

    /// All references, in their order.
    pub(super) fn references(&self) -> Result<Vec<Reference>, Problem> {
        let mut all = Vec::new();
        for record in self.records() {
            let events = self.contents.file.events_in(record.parts())?;
            let events = events.unwrap_or_default();
            let mut references = References::to(self.heap);
            let mut budget = budget(record);
            self.contents.visit(&mut budget, Parts(&events), |event| {
                all.extend(references.event(&event));
                true
            })?;
        }
        Ok(all)
    }

    /// Where the reference with this number is.
    pub(super) fn place(&self, number: u32) -> Result<String, Problem> {
        let mut left = number;
        for record in self.records() {
            if let Some(place) = self.place_in(record, &mut left)? {
                return Ok(self.named(record, &place));
            }
        }
        Ok(String::new())
    }

    /// Where in a record the reference is behind `left` others. `None`: it has fewer, which are
    /// taken from `left`.
    fn place_in(&self, record: &FoundRecord, left: &mut u32) -> Result<Option<String>, Problem> {
        let events = self.contents.file.events_in(record.parts())?;
        let events = events.unwrap_or_default();
        let (mut references, mut path) = (References::to(self.heap), FieldPath::default());
        let mut place = None;
        let mut budget = budget(record);
        self.contents.visit(&mut budget, Parts(&events), |event| {
            path.event(&event);
            if references.event(&event).is_some() && place.is_none() {
                match left.checked_sub(1) {
                    Some(rest) => *left = rest,
                    None => place = Some(path.text()),
                }
            }
            true
        })?;
        Ok(place)
    }

    fn records(&self) -> impl Iterator<Item = &FoundRecord> {
        std::iter::once(&self.actor).chain(&self.messages)
    }

    fn named(&self, record: &FoundRecord, place: &str) -> String {
        let fields = place.strip_prefix('.').unwrap_or(place);
        match record.id == self.actor.id {
            true => match place.strip_prefix(STATE) {
                Some(place) => format!("state{place}"),
                None => fields.to_owned(),
            },
            false => format!("message of record {}: {fields}", record.id),
        }
    }
}

fn budget(record: &FoundRecord) -> Budget {
    Budget::new(record.id, record.value.len())
}
