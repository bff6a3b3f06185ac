//! An actor system with a filled cache, and a server in front.

use super::args::ServeArguments;
use crate::http::{Service, router};
use crate::popularity::Popularity;
use crate::stripes::Stripes;
use example_load::command::processors;
use example_load::{Running, Server};
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use vivant::heap::Pacing;
use vivant::prelude::*;

/// A cache that is served.
#[derive(Debug)]
pub struct Instance {
    /// The system of its actors.
    pub system: System,
    /// The cache.
    pub stripes: Stripes,
    /// The number of entries after filling.
    pub filled: usize,
    /// The address on which it listens.
    pub address: SocketAddr,
    service: Service,
    server: Running,
}

/// The actor system of a server. Only this function chooses how its heaps are collected.
fn system(arguments: &ServeArguments) -> System {
    let workers = arguments.cache.workers;
    System::builder()
        .name("cache")
        .workers(workers.map_or_else(processors, usize::from))
        .pacing(Pacing::new().growth(arguments.cache.growth))
        .collector(arguments.cache.collector)
        .build()
}

impl Instance {
    /// Opens a cache, fills it and serves it on a port. The port is bound first: without it, no
    /// cache is filled.
    ///
    /// # Errors
    ///
    /// The port cannot be bound, or the cache could not be filled.
    pub fn open(arguments: &ServeArguments) -> Result<Instance, Box<dyn Error>> {
        let server = Server::bind(arguments.port)?;
        let system = system(arguments);
        let stripes = Stripes::open(&system, arguments.settings());
        let popularity = Popularity::new(arguments.pages.titles.into());
        let filled = stripes.fill(&popularity, arguments.pages.seed)?;
        drop(popularity);
        let service = Service::new(&system, stripes.clone());
        Ok(Instance {
            address: server.address(),
            server: server.start(router(service.clone()), &system)?,
            system,
            stripes,
            filled,
            service,
        })
    }

    /// Waits for Ctrl-C or SIGTERM, or for a POST to `/_stop`.
    pub fn wait(&mut self) {
        self.server.wait(self.service.stopped());
    }

    /// Answers the requests in progress, and closes; see [`Running::close`].
    ///
    /// # Errors
    ///
    /// The socket had failed.
    pub fn close(self) -> io::Result<usize> {
        let closed = self.server.close();
        self.system.shutdown();
        closed
    }
}
