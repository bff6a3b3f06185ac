//! The server: a socket on the loopback interface, and a router behind it.

use axum::Router;
use axum::serve::ListenerExt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;
use std::{error, fmt};
use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use vivant::System;
use vivant_axum::Signals;

use crate::command::processors;

/// For how long an idle connection may send one request more when the server ends. A user of the
/// load generator may wait that long for a processor.
const IDLE_GRACE: Duration = Duration::from_secs(1);

/// A socket that listens, on 127.0.0.1 only: there is no encryption, and no password worth its
/// name.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// A port that cannot be listened on.
#[derive(Debug)]
pub struct BindError {
    port: u16,
    error: io::Error,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BindError { port, error } = self;
        match error.kind() {
            io::ErrorKind::AddrInUse => write!(
                f,
                "port {port} is in use: stop the program that listens there, or choose another port \
                 with --port (0 takes any that is free)"
            ),
            io::ErrorKind::PermissionDenied => write!(
                f,
                "port {port} needs rights that this program does not have: choose one above 1023 \
                 with --port"
            ),
            _ => write!(f, "cannot listen on port {port}: {error}"),
        }
    }
}

impl error::Error for BindError {}

impl Server {
    /// Listens on a port of the loopback interface; on port 0, on any that is free.
    ///
    /// # Errors
    ///
    /// The port is in use, or may not be used.
    pub fn bind(port: u16) -> Result<Server, BindError> {
        let bound = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Server { listener, address })
        };
        bound().map_err(|error| BindError { port, error })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` is ready, and then until the requests that have begun are answered. The
    /// actors of `system` live on. Returns the number of connections that were cut off.
    ///
    /// # Errors
    ///
    /// The socket is none of this runtime.
    pub async fn serve(
        self,
        router: Router,
        system: System,
        end: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<usize> {
        // An answer must not wait for the acknowledgement of the one before.
        let listener = tokio::net::TcpListener::from_std(self.listener)?
            .tap_io(|stream| drop(stream.set_nodelay(true)));
        vivant_axum::serve(listener, router, &system)
            .until(end)
            .idle_grace(IDLE_GRACE)
            .drained()
            .await
    }

    /// Serves on threads of its own, one for each processor.
    ///
    /// # Errors
    ///
    /// The threads cannot be started, or the system does not tell of signals.
    pub fn start(self, router: Router, system: &System) -> io::Result<Running> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(processors())
            .enable_all()
            .thread_name("http")
            .build()?;
        let signals = {
            let _within = runtime.enter();
            Signals::new()?
        };
        let (end, ended) = oneshot::channel::<()>();
        Ok(Running {
            signals,
            // A dropped sender is an end too.
            served: runtime.spawn(self.serve(router, system.clone(), async { drop(ended.await) })),
            runtime,
            end,
        })
    }
}

/// A server that serves.
#[derive(Debug)]
pub struct Running {
    runtime: Runtime,
    signals: Signals,
    end: oneshot::Sender<()>,
    served: JoinHandle<io::Result<usize>>,
}

impl Running {
    /// Waits for Ctrl-C or SIGTERM, which count from when the server was started; or
    /// until `stopped` is ready.
    pub fn wait(&mut self, stopped: impl Future<Output = ()>) {
        let interrupted = self.signals.received();
        self.runtime.block_on(async {
            tokio::select! {
                () = interrupted => {}
                () = stopped => {}
            }
        });
    }

    /// Answers the requests that have begun, and closes. Returns the number of connections with a
    /// request that took too long ([`vivant_axum::Serve::drain_limit`]).
    ///
    /// # Errors
    ///
    /// The socket had failed.
    pub fn close(self) -> io::Result<usize> {
        drop(self.end);
        let served = self.runtime.block_on(self.served);
        self.runtime.shutdown_background();
        served.unwrap_or_else(|error| Err(io::Error::other(error)))
    }
}
