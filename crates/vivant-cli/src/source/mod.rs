//! The sources of snapshots: a program's console, or the demo.
//!
//! - [`connection`]: a program's console, reconnected after a loss.
//! - [`cast`]: the actors of the demo.
//! - [`demo`]: these actors on threads, observed through a console; or under a seed, in virtual
//!   time.
//! - [`looking`]: the thread that takes snapshots periodically.

mod cast;
mod connection;
mod demo;
pub(crate) mod looking;
#[cfg(test)]
mod tests;
mod trouble;

pub(crate) use trouble::Trouble;

use connection::Connection;
use demo::{Live, Seeded};
use std::path::PathBuf;
use std::time::Duration;
use vivant_console::wire::Snapshot;

/// A source of snapshots.
pub(crate) trait Source {
    fn look(&mut self) -> Result<Snapshot, Trouble>;
}

/// The source of the token.
#[derive(Clone, Debug)]
pub(crate) enum TokenSource {
    Text(String),
    /// Read again at every connection: a restarted program has written another token.
    File(PathBuf),
}

/// What to observe. A source is opened on the snapshot thread, because a simulation belongs to one
/// thread.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Program {
        address: String,
        token: TokenSource,
    },
    Demo,
    /// The demo under a seed: each snapshot lets `step` of virtual time pass.
    Seeded {
        seed: u64,
        step: Duration,
    },
}

impl Origin {
    /// The text for the first line of the screen.
    pub(crate) fn title(&self) -> String {
        match self {
            Origin::Program { address, .. } => address.clone(),
            Origin::Demo => "demo".to_owned(),
            Origin::Seeded { seed, .. } => format!("demo, seed {seed}"),
        }
    }

    pub(crate) fn open(self) -> Result<Box<dyn Source>, Trouble> {
        Ok(match self {
            Origin::Program { address, token } => Box::new(Connection::to(address, token)),
            Origin::Demo => Box::new(Live::start()?),
            Origin::Seeded { seed, step } => Box::new(Seeded::start(seed, step)),
        })
    }
}
