//! The house: an actor system with a filled cache in it, and a server in front.

use super::args::ServeArguments;
use crate::http::{BindError, Server, Service};
use crate::popularity::Popularity;
use crate::stripes::Stripes;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use vivant::heap::Pacing;
use vivant::prelude::*;

/// How long a server that closes waits for requests that have begun.
const CLOSING_MAX: Duration = Duration::from_secs(5);

/// A cache that is served.
#[derive(Debug)]
pub struct House {
    /// Where its actors live.
    pub system: System,
    /// The cache.
    pub stripes: Stripes,
    /// How many entries it was filled with.
    pub filled: usize,
    /// Where it listens.
    pub address: SocketAddr,
    service: Service,
    /// Runs the handlers of requests.
    runtime: runtime::Runtime,
    end: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

/// The actor system of a server. How its heaps are collected is chosen here and nowhere else.
fn system(arguments: &ServeArguments) -> System {
    let workers = arguments.cache.workers;
    System::builder()
        .name("cache")
        .workers(workers.map_or_else(processors, usize::from))
        .pacing(Pacing::new().growth(arguments.cache.growth))
        .collector(arguments.cache.collector)
        .build()
}

impl House {
    /// Opens a cache, fills it and serves it on a port. The port comes first: when it cannot be had, nothing is filled in vain.
    ///
    /// # Errors
    ///
    /// The port cannot be had, or the cache could not be filled.
    pub fn open(arguments: &ServeArguments) -> Result<House, Box<dyn Error>> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(processors())
            .enable_all()
            .thread_name("http")
            .build()?;
        let bound: Result<Server, BindError> = runtime.block_on(Server::bind(arguments.port));
        let server = bound?;
        let system = system(arguments);
        let stripes = Stripes::open(&system, arguments.settings());
        let popularity = Popularity::new(arguments.pages.titles.into());
        let filled = stripes.fill(&popularity, arguments.pages.seed)?;
        drop(popularity);
        let address = server.address();
        let (end, ended) = oneshot::channel();
        let service = Service::new(&system, stripes.clone());
        let served = runtime.spawn(server.serve(service.clone(), async {
            // A dropped sender is an end too.
            let _ended = ended.await;
        }));
        Ok(House {
            system,
            stripes,
            filled,
            address,
            service,
            runtime,
            end,
            served,
        })
    }

    /// Waits for Ctrl-C, or for somebody who posts to `/_stop`.
    ///
    /// # Errors
    ///
    /// The system does not tell of Ctrl-C.
    pub fn wait(&self) -> io::Result<()> {
        self.runtime.block_on(async {
            tokio::select! {
                interrupted = tokio::signal::ctrl_c() => interrupted,
                () = self.service.stopped() => Ok(()),
            }
        })
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
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
