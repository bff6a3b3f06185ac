//! An actor system with a loaded airline, and a server in front.

use super::args::{DataArguments, SnapshotArguments};
use crate::airline::Airline;
use crate::audit::{Audit, Confirmed};
use crate::http::{Service, router};
use crate::manager::{Loaded, Settings};
use crate::snapshots::{self, Attempt, Figures, Opened, Restored, Snapshotter};
use example_load::command::processors;
use example_load::{Running, Server};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::{error, future, io};
use vivant::prelude::*;

/// Where and when the airline is saved.
#[derive(Clone, Debug)]
pub struct Saving {
    /// The number of requests from one snapshot to the next.
    pub every: NonZeroU64,
    /// The snapshots' folder.
    pub folder: PathBuf,
    /// Is called after each snapshot.
    pub told: fn(&Attempt),
}

impl Saving {
    /// As the command line says; in the folder `default`, if it names none. `None`: not at all.
    pub fn of(arguments: &SnapshotArguments, default: &Path, told: fn(&Attempt)) -> Option<Saving> {
        let folder = arguments.snapshots.as_deref().unwrap_or(default);
        Some(Saving {
            every: arguments.snapshot_every?,
            folder: folder.to_owned(),
            told,
        })
    }
}

/// An airline that is served.
#[derive(Debug)]
pub struct Instance {
    /// The system of its actors.
    pub system: System,
    /// The airline.
    pub airline: Airline,
    /// The loaded data.
    pub loaded: Loaded,
    /// The image from which the airline goes on.
    pub restored: Option<Restored>,
    /// Where it listens.
    pub address: SocketAddr,
    server: Running,
    snapshotter: Option<Snapshotter>,
}

impl Instance {
    /// Opens an airline and serves it on a port, as configured. With `saving`, the airline goes on
    /// from the newest image in its folder, if there is one. The port comes first: without it, no
    /// data are loaded.
    ///
    /// # Errors
    ///
    /// The port or the folder cannot be had, or the data could not be loaded or restored.
    pub fn open(
        data: &DataArguments,
        saving: Option<Saving>,
        port: u16,
        configure: impl FnOnce(Service) -> Service,
    ) -> Result<Instance, Box<dyn error::Error>> {
        let server = Server::bind(port)?;
        let builder = System::builder()
            .name("airline")
            .workers(data.workers.map_or_else(processors, usize::from));
        let settings = Settings {
            days: data.days.into(),
            ..Settings::default()
        };
        let (system, airline, restored, snapshotter) = match saving {
            None => {
                let system = builder.build();
                let airline = Airline::open(&system, settings);
                (system, airline, None, None)
            }
            Some(saving) => {
                let Opened {
                    system,
                    airline,
                    journal,
                    restored,
                } = snapshots::open(builder, &saving.folder, settings)?;
                let (every, told) = (saving.every, saving.told);
                let snapshotter = Snapshotter::start(system.clone(), journal, every, told)?;
                (system, airline, restored, Some(snapshotter))
            }
        };
        let manager = airline.manager();
        let loaded = match manager.directory().ask_blocking()? {
            Some(directory) => directory.loaded(),
            None => manager.load(data.customers).ask_blocking()??,
        };
        let service = Service::new(airline.clone()).customers(data.customers);
        let router = router(configure(service));
        let router = match &snapshotter {
            Some(snapshotter) => snapshotter.requests().layered(router),
            None => router,
        };
        Ok(Instance {
            loaded,
            restored,
            address: server.address(),
            server: server.start(router, &system)?,
            system,
            airline,
            snapshotter,
        })
    }

    /// Waits for Ctrl-C or SIGTERM.
    pub fn wait_for_interrupt(&mut self) {
        self.server.wait(future::pending());
    }

    /// Answers the requests that have begun, closes, takes a last snapshot if there are any,
    /// audits, and shuts the system down.
    ///
    /// # Errors
    ///
    /// The socket had failed.
    pub fn close(self, confirmed: Option<Confirmed>) -> io::Result<Closed> {
        let closed = self.server.close();
        let snapshots = self.snapshotter.map(Snapshotter::end);
        let audit = self.system.block_on(self.airline.audit(confirmed));
        self.system.shutdown();
        Ok(Closed {
            cut_off: closed?,
            audit,
            snapshots,
        })
    }
}

/// How an instance ended.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Number of connections with a request that took too long to wait for.
    pub cut_off: usize,
    /// The audit after the last answer.
    pub audit: Audit,
    /// The snapshots, if there were to be any.
    pub snapshots: Option<Figures>,
}
