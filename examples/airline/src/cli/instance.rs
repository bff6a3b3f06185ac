//! An actor system with a loaded airline, and a server in front.

use super::args::DataArguments;
use crate::airline::Airline;
use crate::audit::{Audit, Confirmed};
use crate::http::{Service, router};
use crate::manager::{Loaded, Settings};
use example_load::command::processors;
use example_load::{Running, Server};
use std::net::SocketAddr;
use std::{error, future, io};
use vivant::prelude::*;

/// An airline that is served.
#[derive(Debug)]
pub struct Instance {
    /// The system of its actors.
    pub system: System,
    /// The airline.
    pub airline: Airline,
    /// The loaded data.
    pub loaded: Loaded,
    /// Where it listens.
    pub address: SocketAddr,
    server: Running,
}

impl Instance {
    /// Opens an airline and serves it on a port, as configured. The port comes first: without it,
    /// no data are loaded.
    ///
    /// # Errors
    ///
    /// The port cannot be had, or the data could not be loaded.
    pub fn open(
        data: &DataArguments,
        port: u16,
        configure: impl FnOnce(Service) -> Service,
    ) -> Result<Instance, Box<dyn error::Error>> {
        let server = Server::bind(port)?;
        let system = System::builder()
            .name("airline")
            .workers(data.workers.map_or_else(processors, usize::from))
            .build();
        let settings = Settings {
            days: data.days.into(),
            ..Settings::default()
        };
        let airline = Airline::open(&system, settings);
        let service = Service::new(airline.clone()).customers(data.customers);
        Ok(Instance {
            loaded: airline.manager().load(data.customers).ask_blocking()??,
            address: server.address(),
            server: server.start(router(configure(service)), &system)?,
            system,
            airline,
        })
    }

    /// Waits for Ctrl-C or SIGTERM.
    pub fn wait_for_interrupt(&mut self) {
        self.server.wait(future::pending());
    }

    /// Answers the requests that have begun, closes, audits, and shuts the system down.
    ///
    /// # Errors
    ///
    /// The socket had failed.
    pub fn close(self, confirmed: Option<Confirmed>) -> io::Result<Closed> {
        let closed = self.server.close();
        let audit = self.system.block_on(self.airline.audit(confirmed));
        self.system.shutdown();
        Ok(Closed {
            cut_off: closed?,
            audit,
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
}
