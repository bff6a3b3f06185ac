//! The access log: a line for each request, on standard error.

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath};
use axum::http::{Request, Response};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tower_http::trace::TraceLayer;
use tracing::{Span, field, info, info_span, warn};

/// Whether each request is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessLog {
    /// None is.
    #[default]
    Off,
    /// Each has a line: the client's address, method, route, status and time.
    On,
}

impl AccessLog {
    /// Writes the lines to standard error, from now on.
    pub fn to_stderr() -> AccessLog {
        let written = tracing_subscriber::fmt()
            .with_writer(io::stderr)
            .with_ansi(false)
            .with_target(false);
        written.init();
        AccessLog::On
    }

    pub(super) fn layered(self, router: Router) -> Router {
        match self {
            AccessLog::Off => router,
            AccessLog::On => router.layer(
                TraceLayer::new_for_http()
                    .make_span_with(span)
                    .on_request(())
                    .on_response(line)
                    .on_failure(()),
            ),
        }
    }
}

/// Not the path, which has names of customers, but the route.
fn span(request: &Request<Body>) -> Span {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let route = request.extensions().get::<MatchedPath>();
    info_span!(
        "request",
        peer = peer.map(|it| field::display(it.0)),
        method = %request.method(),
        route = route.map_or("none", MatchedPath::as_str),
    )
}

/// Why an actor did not answer is for the operator alone: the client gets a sentence.
fn line(response: &Response<Body>, latency: Duration, _: &Span) {
    let (status, us) = (response.status().as_u16(), latency.as_micros() as u64);
    match response.extensions().get::<vivant_axum::Problem>() {
        Some(problem) => warn!(status, us, %problem),
        None => info!(status, us),
    }
}
