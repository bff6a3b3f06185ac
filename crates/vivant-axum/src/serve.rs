//! [`serve`]: a server that ends without losing a request.

use crate::Signals;
use crate::connection::ClientLimits;
use crate::connections::Connections;
use axum::Router;
use axum::serve::Listener;
use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::pin::Pin;
use std::time::Duration;
use vivant::{Shutdown, ShutdownReport, System};

/// The default of [`Serve::header_limit`].
const HEADER_LIMIT: Duration = Duration::from_secs(30);
/// The default of [`Serve::write_limit`].
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// The default of [`Serve::drain_limit`].
const DRAIN_LIMIT: Duration = Duration::from_secs(10);
/// The limit of the default of [`Serve::shutdown`].
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);
/// The default of [`Serve::idle_grace`].
const IDLE_GRACE: Duration = Duration::from_millis(250);

/// Serves `app` on `listener`, over HTTP/1.1, until Ctrl-C or SIGTERM; then ends in order:
///
/// 1. Connections that wait to be accepted are accepted, and the listener is closed.
/// 2. Requests under way are answered, each with `Connection: close`. A connection without a
///    request stays open for [`Serve::idle_grace`]: a client that has just sent one is answered.
/// 3. Connections that are still open after [`Serve::drain_limit`] are closed.
/// 4. The system of actors is shut down ([`Serve::shutdown`]).
///
/// Then it returns, so that `main` can return and the process exits with 0. Each step has a limit,
/// 15 seconds together unless set otherwise: less than the 30 seconds after which Kubernetes kills
/// a container, and more than the 10 seconds of `docker stop`, which `--time` changes.
///
/// Handlers find the client's address as `ConnectInfo<L::Addr>`. Connections that were upgraded
/// (WebSockets) are the program's own: they are not waited for.
///
/// ```no_run
/// use axum::{Router, routing::get};
/// use vivant::prelude::*;
///
/// #[tokio::main]
/// async fn main() -> std::io::Result<()> {
///     let system = System::new();
///     let app = Router::new().route("/", get(async || "alive"));
///     let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
///     let ended = vivant_axum::serve(listener, app, &system).await?;
///     eprintln!("{ended}");
///     Ok(())
/// }
/// ```
pub fn serve<L: Listener>(listener: L, app: Router, system: &System) -> Serve<L> {
    Serve {
        listener,
        app,
        system: system.clone(),
        end: None,
        limits: ClientLimits {
            header: HEADER_LIMIT,
            write: WRITE_LIMIT,
        },
        idle_grace: IDLE_GRACE,
        drain_limit: DRAIN_LIMIT,
        shutdown: Shutdown::after_queues().within(SHUTDOWN_LIMIT),
    }
}

/// A server that serves when it is awaited; made by [`serve`].
#[must_use = "it serves when it is awaited"]
pub struct Serve<L> {
    listener: L,
    app: Router,
    system: System,
    /// Signals end it, if there is none.
    end: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    limits: ClientLimits,
    idle_grace: Duration,
    drain_limit: Duration,
    shutdown: Shutdown,
}

/// How a server ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Number of connections that were still open after [`Serve::drain_limit`]: their requests were
    /// not answered, or had not come as a whole.
    pub cut_off: usize,
    /// What the shutdown of the system ended, and what it left behind.
    pub system: ShutdownReport,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ended { cut_off, system } = self;
        write!(f, "{cut_off} connections were cut off; {system}")
    }
}

impl<L> Serve<L>
where
    L: Listener,
    L::Addr: Clone + Sync + 'static,
{
    /// Ends when `end` is ready, instead of by a signal. [`Signals`] that were made before are one
    /// such future: a signal that comes while data are loaded is then noticed too.
    pub fn until(self, end: impl Future<Output = ()> + Send + 'static) -> Self {
        Serve {
            end: Some(Box::pin(end)),
            ..self
        }
    }

    /// Closes a connection when no whole head of a request has come after this time, from when it
    /// was accepted or its last request was answered: a limit for slow and for idle clients. 30
    /// seconds by default.
    pub fn header_limit(mut self, header_limit: Duration) -> Self {
        self.limits.header = header_limit;
        self
    }

    /// Closes a connection when the client takes no byte of an answer for this time, so that it
    /// cannot keep the answer, or a [`HeldBody`](crate::HeldBody), for ever. 30 seconds by default.
    pub fn write_limit(mut self, write_limit: Duration) -> Self {
        self.limits.write = write_limit;
        self
    }

    /// For how long a connection between two requests stays open when the server drains. A client
    /// that uses its connection all the time sends its next request in that time, and learns with
    /// the answer that the connection ends. A quarter of a second by default; part of
    /// [`Serve::drain_limit`].
    pub fn idle_grace(self, idle_grace: Duration) -> Self {
        Serve { idle_grace, ..self }
    }

    /// Limit of the time in which requests under way may still be answered. 10 seconds by default.
    pub fn drain_limit(self, drain_limit: Duration) -> Self {
        Serve {
            drain_limit,
            ..self
        }
    }

    /// How the system is shut down after the last answer. By default after its queues, within 5
    /// seconds: a message that a handler has sent without waiting for it is processed.
    pub fn shutdown(self, shutdown: Shutdown) -> Self {
        Serve { shutdown, ..self }
    }

    /// As awaiting it, but the actors live on: for an audit after the last request. Returns the
    /// number of connections that were cut off.
    ///
    /// # Errors
    ///
    /// The operating system refuses handlers for the signals.
    pub async fn drained(self) -> io::Result<usize> {
        let end = match self.end {
            Some(end) => end,
            None => {
                let mut signals = Signals::new()?;
                Box::pin(async move { signals.received().await })
            }
        };
        let mut connections = Connections::new(self.app, self.limits);
        connections.accept_until(self.listener, end).await;
        Ok(connections.drain(self.idle_grace, self.drain_limit).await)
    }
}

impl<L> IntoFuture for Serve<L>
where
    L: Listener,
    L::Addr: Clone + Sync + 'static,
{
    type Output = io::Result<Ended>;
    type IntoFuture = Pin<Box<dyn Future<Output = io::Result<Ended>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let (system, how) = (self.system.clone(), self.shutdown);
        Box::pin(async move {
            let cut_off = self.drained().await?;
            let system = system.shutdown_async(how).await;
            Ok(Ended { cut_off, system })
        })
    }
}

impl<L: fmt::Debug> fmt::Debug for Serve<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("listener", &self.listener)
            .field("system", &self.system)
            .field("limits", &self.limits)
            .field("idle_grace", &self.idle_grace)
            .field("drain_limit", &self.drain_limit)
            .field("shutdown", &self.shutdown)
            .finish_non_exhaustive()
    }
}
