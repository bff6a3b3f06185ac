//! An airline from a folder.

use crate::airline::{Airline, SavedTypes};
use crate::data::Moment;
use crate::manager::Settings;
use serde_json::{Value, json};
use std::path::Path;
use std::{error, fmt};
use vivant::journal::{self, DirectoryStore, Journal, Retention};
use vivant::prelude::*;
use vivant::{RestoreReport, RestoredOr, SystemBuilder};

/// The number of images that a folder keeps. One would do; the others are for damaged ones.
pub const IMAGES_KEPT: u32 = 3;

/// An airline, and where its snapshots go.
#[derive(Debug)]
pub struct Opened {
    /// The system of its actors.
    pub system: System,
    /// The airline.
    pub airline: Airline,
    /// The snapshots' folder.
    pub journal: Journal,
    /// From which image it goes on. `None`: it is new.
    pub restored: Option<Restored>,
}

/// An image from which an airline goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Its number.
    pub image: u64,
    /// When it was taken.
    pub taken: Moment,
    /// The number of its actors.
    pub actors: usize,
    /// The number of messages that wait again.
    pub messages: u64,
    /// The newer images, which are damaged, and what is wrong with them.
    pub damaged: Vec<String>,
}

/// Builds a system with the airline of the newest image in `folder`, which goes on where it was, or
/// with a new airline if there is none. The folder is made if it does not exist. A restored airline
/// keeps its settings.
///
/// # Errors
///
/// The folder cannot be used, another process uses it, or the image cannot be restored.
pub fn open(
    builder: SystemBuilder,
    folder: &Path,
    settings: Settings,
) -> Result<Opened, Box<dyn error::Error>> {
    let kept = journal::Settings::default().retention(Retention::last(IMAGES_KEPT));
    let journal = Journal::open(DirectoryStore::new(folder), kept)?;
    let builder = builder.saved::<SavedTypes>();
    let new = |system: &System| Airline::open(system, settings);
    let (system, airline, restored) = match builder.restore_or(journal.catalog(), new)? {
        RestoredOr::New(system, airline) => (system, airline, None),
        RestoredOr::Restored(found) => {
            let airline = Airline::restored(&found.actors).ok_or_else(|| {
                let (folder, number) = (folder.display(), found.report.number);
                format!("snapshot {number} in {folder} has no airline: choose another folder")
            })?;
            let restored = Restored::of(&found.report, found.actors.len());
            (found.system, airline, Some(restored))
        }
    };
    airline.manager().reopen().ask_blocking()??;
    Ok(Opened {
        system,
        airline,
        journal,
        restored,
    })
}

impl Restored {
    fn of(report: &RestoreReport, actors: usize) -> Restored {
        let damaged = report.damaged.iter();
        Restored {
            image: report.number,
            taken: Moment::of(report.taken_at),
            actors,
            messages: report.messages,
            damaged: damaged
                .map(|it| format!("snapshot {} is damaged: {}", it.number, it.error))
                .collect(),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "image": self.image,
            "taken": self.taken,
            "actors": self.actors,
            "messages": self.messages,
            "damaged": self.damaged,
        })
    }
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "restored from snapshot {}, taken {}: {} actors, {} messages",
            self.image, self.taken, self.actors, self.messages
        )?;
        self.damaged.iter().try_for_each(|it| write!(f, "; {it}"))
    }
}
