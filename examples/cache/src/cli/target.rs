//! A server under load, and what became of it.

use crate::load::{self, Client, Plan, Tally};
use crate::popularity::Popularity;
use crate::report::{Run, Told};
use crate::stats::Stats;
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// What a server tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    /// What it counts, and what an audit finds.
    Everything,
    /// Nothing: it gives pages.
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
        runtime: &Runtime,
    ) -> Result<Target, Box<dyn Error>> {
        let told = match tells {
            Tells::Everything => Some(Told {
                before: read(runtime, address, "/_stats")?,
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

    /// Asks for pages.
    pub(super) fn ask(
        &mut self,
        runtime: &Runtime,
        plan: &Plan,
        popularity: &Rc<Popularity>,
    ) -> Result<(), Box<dyn Error>> {
        // On standard error, and hidden when that is not a terminal.
        let bar = ProgressBar::new(plan.requests());
        let style = "{msg}: {bar:40} {pos}/{len} requests, {eta} left";
        bar.set_style(ProgressStyle::with_template(style)?);
        bar.set_message(match &self.told {
            Some(told) => told.before.store.to_string(),
            None => self.address.to_string(),
        });
        let shown = bar.clone();
        let progress = move |count| shown.set_position(count);
        let before = self.stats(runtime)?;
        let asked = load::run(plan, popularity, self.address, progress);
        self.tally.add(runtime.block_on(asked)?);
        bar.finish_and_clear();
        let after = self.stats(runtime)?;
        if let (Some(told), Some(before), Some(after)) = (&mut self.told, before, after) {
            told.cpu_ns += after.cpu_ns - before.cpu_ns;
            told.under_load = told.under_load.then(after.heap.since(before.heap));
        }
        Ok(())
    }

    /// What it counts now, if it tells.
    fn stats(&self, runtime: &Runtime) -> Result<Option<Stats>, Box<dyn Error>> {
        let told = self.told.as_ref();
        told.map(|_| read(runtime, self.address, "/_stats"))
            .transpose()
    }

    /// What became of it. Nobody asks any more.
    pub(super) fn done(mut self, runtime: &Runtime) -> Result<Run, Box<dyn Error>> {
        if let Some(told) = &mut self.told {
            told.after = read(runtime, self.address, "/_stats")?;
            told.audit = read(runtime, self.address, "/_audit")?;
        }
        Ok(Run {
            tally: self.tally,
            told: self.told,
            filled_in: self.filled_in,
        })
    }
}

fn read<T: DeserializeOwned>(
    runtime: &Runtime,
    server: SocketAddr,
    path: &str,
) -> Result<T, Box<dyn Error>> {
    let body = runtime
        .block_on(async { Client::new(server).get(path).await })?
        .body;
    let read = serde_json::from_slice(&body);
    read.map_err(|error| format!("{path} of {server} cannot be read: {error}").into())
}
