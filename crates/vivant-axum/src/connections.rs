//! The open connections of a server: accepted, drained, cut off.

use crate::connection::{ClientLimits, Phase, serve_connection};
use axum::Router;
use axum::serve::Listener;
use std::future::ready;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{JoinSet, unconstrained, yield_now};
use tokio::time::timeout;

/// Limit of the connections that are accepted when the server drains: new ones may come all the
/// time. The kernel keeps no more than this many of a listener of tokio.
const BACKLOG_CONNECTIONS_MAX: usize = 1024;

/// The open connections of a server.
pub(crate) struct Connections {
    app: Router,
    limits: ClientLimits,
    phase: watch::Sender<Phase>,
    open: JoinSet<()>,
}

impl Connections {
    pub(crate) fn new(app: Router, limits: ClientLimits) -> Connections {
        Connections {
            app,
            limits,
            phase: watch::Sender::new(Phase::Serving),
            open: JoinSet::new(),
        }
    }

    /// Accepts connections until `end`, and those that wait to be accepted then.
    pub(crate) async fn accept_until<L>(
        &mut self,
        mut listener: L,
        mut end: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) where
        L: Listener,
        L::Addr: Clone + Sync + 'static,
    {
        loop {
            tokio::select! {
                (io, peer) = listener.accept() => self.open(io, peer),
                Some(_ended) = self.open.join_next() => {}
                () = &mut end => break,
            }
        }
        // The driver notices connections between two polls of this task.
        yield_now().await;
        // Without tokio's budget, which would end the loop early.
        unconstrained(async {
            for _ in 0..BACKLOG_CONNECTIONS_MAX {
                tokio::select! {
                    biased;
                    (io, peer) = listener.accept() => self.open(io, peer),
                    () = ready(()) => break,
                }
            }
        })
        .await;
    }

    fn open<I, P>(&mut self, io: I, peer: P)
    where
        I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
        P: Clone + Send + Sync + 'static,
    {
        let phase = self.phase.subscribe();
        let connection = serve_connection(io, peer, self.app.clone(), self.limits, phase);
        self.open.spawn(connection);
    }

    /// Waits until all are closed, at most for `limit`. Returns the number of those that are not.
    pub(crate) async fn drain(mut self, idle_grace: Duration, limit: Duration) -> usize {
        self.phase.send_replace(Phase::Draining);
        let closed = timeout(limit, async {
            if timeout(idle_grace, closed(&mut self.open)).await.is_err() {
                self.phase.send_replace(Phase::Closing);
                closed(&mut self.open).await;
            }
        });
        let _late = closed.await;
        let cut_off = self.open.len();
        self.open.shutdown().await;
        cut_off
    }
}

async fn closed(open: &mut JoinSet<()>) {
    while open.join_next().await.is_some() {}
}
