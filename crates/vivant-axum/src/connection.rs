//! One connection, from its first request to its end.

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_io_timeout::TimeoutWriter;
use tower::Service;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The phases of a server. Each goes to every connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Connections stay open between requests.
    Serving,
    /// Each answer closes its connection; a connection between two requests stays open for one
    /// more.
    Draining,
    /// A connection between two requests closes, and so does any other after its answer.
    Closing,
}

/// How long a connection waits for its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientLimits {
    /// For a whole head of a request.
    pub(crate) header: Duration,
    /// For room for more bytes of an answer.
    pub(crate) write: Duration,
}

/// Serves the requests of one connection until the client closes it, until a limit passes, or as
/// the phase says.
pub(crate) async fn serve_connection<I, P>(
    io: I,
    peer: P,
    app: Router,
    limits: ClientLimits,
    mut phase: watch::Receiver<Phase>,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Clone + Send + Sync + 'static,
{
    let seen = phase.clone();
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer.clone()));
        let (mut app, seen) = (app.clone(), seen.clone());
        async move {
            let mut response = app.call(request).await?;
            if *seen.borrow() != Phase::Serving {
                response.headers_mut().insert(header::CONNECTION, CLOSE);
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut io = TimeoutWriter::new(io);
    io.set_timeout(Some(limits.write));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .serve_connection(TokioIo::new(Box::pin(io)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // An error concerns this client alone: it has gone, or has sent no HTTP.
    tokio::select! {
        _ended = connection.as_mut() => return,
        _closing = phase.wait_for(|it| *it == Phase::Closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ended = connection.await;
}
