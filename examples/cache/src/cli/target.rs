//! A server under load, and what became of it.

use crate::audit::Audit;
use crate::load::{self, Client, Plan, Tally};
use crate::popularity::Popularity;
use crate::report::Run;
use crate::stats::{Heap, Stats};
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// A server under load.
#[derive(Debug)]
pub(super) struct Target {
    address: SocketAddr,
    filled_in: Option<Duration>,
    before: Stats,
    under_load: Heap,
    cpu_ns: u64,
    tally: Tally,
}

impl Target {
    /// The server there.
    pub(super) fn new(
        address: SocketAddr,
        filled_in: Option<Duration>,
        runtime: &Runtime,
    ) -> Result<Target, Box<dyn Error>> {
        Ok(Target {
            address,
            filled_in,
            before: read(runtime, address, "/_stats")?,
            under_load: Heap::default(),
            cpu_ns: 0,
            tally: Tally::default(),
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
        bar.set_message(self.before.store.to_string());
        let shown = bar.clone();
        let progress = move |count| shown.set_position(count);
        let before: Stats = read(runtime, self.address, "/_stats")?;
        let asked = load::run(plan, popularity, self.address, progress);
        self.tally.add(runtime.block_on(asked)?);
        bar.finish_and_clear();
        let after: Stats = read(runtime, self.address, "/_stats")?;
        self.cpu_ns += after.cpu_ns - before.cpu_ns;
        self.under_load = self.under_load.then(after.heap.since(before.heap));
        Ok(())
    }

    /// What became of it. Nobody asks any more.
    pub(super) fn done(self, runtime: &Runtime) -> Result<Run, Box<dyn Error>> {
        let after: Stats = read(runtime, self.address, "/_stats")?;
        let audit: Audit = read(runtime, self.address, "/_audit")?;
        Ok(Run {
            tally: self.tally,
            before: self.before,
            under_load: self.under_load,
            cpu_ns: self.cpu_ns,
            after,
            audit,
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
