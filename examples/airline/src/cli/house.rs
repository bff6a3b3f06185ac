//! The house: an actor system with a loaded airline in it, and a server in front.

use super::args::DataArguments;
use crate::airline::Airline;
use crate::http::{BindError, Server, Service};
use crate::manager::{Loaded, Settings};
use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use vivant::prelude::*;

/// How long a server that closes waits for requests that have begun.
const CLOSING_MAX: Duration = Duration::from_secs(5);

/// An airline that is served.
#[derive(Debug)]
pub struct House {
    /// Where its actors live.
    pub system: System,
    /// The airline.
    pub airline: Airline,
    /// What was loaded.
    pub loaded: Loaded,
    /// Where it listens.
    pub address: SocketAddr,
    /// Runs the handlers of requests.
    runtime: runtime::Runtime,
    end: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

impl House {
    /// Opens an airline and serves it on a port. The port comes first: when it cannot be had, nothing is loaded in vain.
    ///
    /// # Errors
    ///
    /// The port cannot be had, or the data could not be loaded.
    pub fn open(data: &DataArguments, port: u16) -> Result<House, Box<dyn std::error::Error>> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(processors())
            .enable_all()
            .thread_name("http")
            .build()?;
        let bound: Result<Server, BindError> = runtime.block_on(Server::bind(port));
        let server = bound?;
        let system = System::builder()
            .name("airline")
            .workers(data.workers.map_or_else(processors, usize::from))
            .build();
        let settings = Settings {
            days: data.days.into(),
            ..Settings::default()
        };
        let airline = Airline::open(&system, settings);
        let loaded = airline.manager().load(data.customers).ask_blocking()??;
        let address = server.address();
        let (end, ended) = oneshot::channel();
        let service = Service::new(airline.clone());
        let served = runtime.spawn(server.serve(service, async {
            // A dropped sender is an end too.
            let _ended = ended.await;
        }));
        Ok(House {
            system,
            airline,
            loaded,
            address,
            runtime,
            end,
            served,
        })
    }

    /// Waits for Ctrl-C.
    ///
    /// # Errors
    ///
    /// The system does not tell of it.
    pub fn wait_for_interrupt(&self) -> io::Result<()> {
        self.runtime.block_on(tokio::signal::ctrl_c())
    }

    /// Answers what has been asked, and closes. Who has not finished asking after some seconds is not waited for.
    ///
    /// # Errors
    ///
    /// The socket had failed.
    pub fn close(self) -> io::Result<()> {
        drop(self.end);
        let served = async { tokio::time::timeout(CLOSING_MAX, self.served).await };
        let served = self.runtime.block_on(served);
        self.system.shutdown();
        self.runtime.shutdown_background();
        match served {
            Ok(served) => served.unwrap_or_else(|error| Err(io::Error::other(error))),
            Err(_) => Ok(()),
        }
    }
}

/// How many processors there are.
pub(super) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
