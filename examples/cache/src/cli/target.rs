//! A server under load, and its results.

use crate::load::{self, Plan, Tally};
use crate::popularity::Popularity;
use crate::report::{Observed, Run};
use crate::stats::Stats;
use example_load::{Ask, Caller};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// The data that a server has about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoints {
    /// Its statistics, and an audit.
    All,
    /// None: it has pages only.
    PagesOnly,
}

/// A server under load.
#[derive(Debug)]
pub(super) struct Target {
    address: SocketAddr,
    filled_in: Option<Duration>,
    tally: Tally,
    observed: Option<Observed>,
}

impl Target {
    /// The server there.
    pub(super) fn new(
        address: SocketAddr,
        filled_in: Option<Duration>,
        endpoints: Endpoints,
    ) -> Result<Target, Box<dyn Error>> {
        let observed = match endpoints {
            Endpoints::All => Some(Observed {
                before: read(address, "/_stats")?,
                ..Observed::default()
            }),
            Endpoints::PagesOnly => None,
        };
        Ok(Target {
            address,
            filled_in,
            tally: Tally::default(),
            observed,
        })
    }

    /// Requests pages from it.
    pub(super) fn ask(
        &mut self,
        plan: &Plan,
        popularity: &Rc<Popularity>,
    ) -> Result<(), Box<dyn Error>> {
        let title = match &self.observed {
            Some(observed) => format!("{}: ", observed.before.store),
            None => format!("{}: ", self.address),
        };
        let before = self.stats()?;
        self.tally
            .add(load::run(plan, popularity, self.address, &title)?);
        let after = self.stats()?;
        if let (Some(observed), Some(before), Some(after)) = (&mut self.observed, before, after) {
            observed.cpu_ns += after.cpu_ns - before.cpu_ns;
            observed.under_load = observed.under_load.then(after.heap.since(before.heap));
        }
        Ok(())
    }

    /// Its current statistics, if it has some.
    fn stats(&self) -> Result<Option<Stats>, Box<dyn Error>> {
        let observed = self.observed.as_ref();
        observed.map(|_| read(self.address, "/_stats")).transpose()
    }

    /// The results. No requests are sent any more.
    pub(super) fn done(mut self) -> Result<Run, Box<dyn Error>> {
        if let Some(observed) = &mut self.observed {
            observed.after = read(self.address, "/_stats")?;
            observed.audit = read(self.address, "/_audit")?;
        }
        Ok(Run {
            tally: self.tally,
            observed: self.observed,
            filled_in: self.filled_in,
        })
    }
}

fn read<T: DeserializeOwned>(server: SocketAddr, path: &str) -> Result<T, Box<dyn Error>> {
    let answer = Caller::new(server)?.ask(Ask::get(path))?;
    let read = serde_json::from_slice(&answer.body);
    read.map_err(|error| format!("{path} of {server} cannot be read: {error}").into())
}
