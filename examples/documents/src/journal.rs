//! [`Journal`]: the actor that writes commits to a disk.

use crate::commit::Edit;
use crate::disk::Disk;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::sync::Arc;
use vivant::prelude::*;

/// A line of the journal: a commit with an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version that it made.
    pub version: u64,
    /// Its edits.
    pub edits: Vec<Edit>,
}

/// Writes commits to a disk, each as a line of JSON. It runs on a thread of its own, because it
/// waits for the disk.
#[derive(Actor)]
#[actor(blocking)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    /// The bytes of whole records.
    length: usize,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Journal({} bytes)", self.length)
    }
}

#[behaviours]
impl Journal {
    #[start]
    /// Opens a journal. A last line that was cut short is cut off.
    ///
    /// # Panics
    ///
    /// If the disk fails.
    pub fn open(disk: Arc<dyn Disk>) -> Self {
        let bytes = disk.read().expect("the journal can be read");
        let length = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        disk.truncate(length).expect("the journal can be written");
        Journal { disk, length }
    }

    /// Returns all records.
    ///
    /// # Errors
    ///
    /// The disk fails, or has a line that is no record.
    pub fn records(&self) -> Result<Vec<Record>, io::ErrorKind> {
        let bytes = self.disk.read().map_err(|error| error.kind())?;
        let records = serde_json::Deserializer::from_slice(&bytes).into_iter();
        records
            .collect::<Result<_, _>>()
            .map_err(|_| io::ErrorKind::InvalidData)
    }

    /// Adds a record. It is on the disk when this has answered.
    ///
    /// # Errors
    ///
    /// The disk fails: the record is not in the journal.
    ///
    /// # Panics
    ///
    /// If the disk fails again while what was written is taken back: it is not known what the
    /// journal has.
    pub fn append(&mut self, record: Record) -> Result<(), io::ErrorKind> {
        let mut line = serde_json::to_vec(&record).map_err(|_| io::ErrorKind::InvalidData)?;
        line.push(b'\n');
        if let Err(error) = self.disk.append(&line) {
            self.disk
                .truncate(self.length)
                .expect("what was written can be taken back");
            return Err(error.kind());
        }
        self.length += line.len();
        Ok(())
    }
}
