//! A server under load, and its results.

use crate::load::{self, Plan, Tally};
use crate::popularity::Popularity;
use crate::report::{Run, Told};
use crate::stats::Stats;
use example_load::{Ask, Caller};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// The data that a server has about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    /// Its statistics, and an audit.
    Everything,
    /// None: it has pages only.
    Nothing,
}

/// A server under load.
#[derive(Debug)]
pub(super) struct Target {
    address: SocketAddr,
    filled_in: Option<Duration>,
    tally: Tally,
    told: Option<Told>,
}

impl Target {
    /// The server there.
    pub(super) fn new(
        address: SocketAddr,
        filled_in: Option<Duration>,
        tells: Tells,
    ) -> Result<Target, Box<dyn Error>> {
        let told = match tells {
            Tells::Everything => Some(Told {
                before: read(address, "/_stats")?,
                ..Told::default()
            }),
            Tells::Nothing => None,
        };
        Ok(Target {
            address,
            filled_in,
            tally: Tally::default(),
            told,
        })
    }

    /// Requests pages from it.
    pub(super) fn ask(
        &mut self,
        plan: &Plan,
        popularity: &Rc<Popularity>,
    ) -> Result<(), Box<dyn Error>> {
        let title = match &self.told {
            Some(told) => format!("{}: ", told.before.store),
            None => format!("{}: ", self.address),
        };
        let before = self.stats()?;
        self.tally
            .add(load::run(plan, popularity, self.address, &title)?);
        let after = self.stats()?;
        if let (Some(told), Some(before), Some(after)) = (&mut self.told, before, after) {
            told.cpu_ns += after.cpu_ns - before.cpu_ns;
            told.under_load = told.under_load.then(after.heap.since(before.heap));
        }
        Ok(())
    }

    /// Its current statistics, if it has some.
    fn stats(&self) -> Result<Option<Stats>, Box<dyn Error>> {
        let told = self.told.as_ref();
        told.map(|_| read(self.address, "/_stats")).transpose()
    }

    /// The results. No requests are sent any more.
    pub(super) fn done(mut self) -> Result<Run, Box<dyn Error>> {
        if let Some(told) = &mut self.told {
            told.after = read(self.address, "/_stats")?;
            told.audit = read(self.address, "/_audit")?;
        }
        Ok(Run {
            tally: self.tally,
            told: self.told,
            filled_in: self.filled_in,
        })
    }
}

fn read<T: DeserializeOwned>(server: SocketAddr, path: &str) -> Result<T, Box<dyn Error>> {
    let answer = Caller::new(server)?.ask(Ask::get(path))?;
    let read = serde_json::from_slice(&answer.body);
    read.map_err(|error| format!("{path} of {server} cannot be read: {error}").into())
}
