//! [`AskLimit`]: the default time limit of asks.

use crate::Problem;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use pin_project_lite::pin_project;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Timeout, timeout};
use tower::{Layer, Service};
use vivant::AskError;

/// A layer: a handler that waits for actors longer than the limit is dropped, and the answer is 504
/// ([`Problem`]).
///
/// It bounds all asks of a request together, from its head to the head of the response; reading the
/// request's body counts too. A single ask can have a shorter limit of its own, with
/// [`AskFuture::within`](vivant::AskFuture::within). Messages that were sent are processed all the
/// same. Routes with other limits go into a router of their own.
///
/// ```
/// # use axum::{Router, routing::get};
/// use std::time::Duration;
/// use vivant_axum::AskLimit;
///
/// let slow = Router::new()
///     .route("/report", get(async || "…"))
///     .layer(AskLimit::new(Duration::from_secs(60)));
/// let app: Router = Router::new()
///     .route("/", get(async || "…"))
///     .layer(AskLimit::new(Duration::from_secs(2)))
///     .merge(slow);
/// ```
///
/// Costs a timer of tokio for each request.
#[derive(Clone, Copy, Debug)]
pub struct AskLimit(Duration);

impl AskLimit {
    /// A layer with this limit.
    #[must_use]
    pub fn new(limit: Duration) -> AskLimit {
        AskLimit(limit)
    }
}

impl<S> Layer<S> for AskLimit {
    type Service = AskLimited<S>;

    fn layer(&self, inner: S) -> AskLimited<S> {
        let AskLimit(limit) = *self;
        AskLimited { inner, limit }
    }
}

/// A service behind an [`AskLimit`].
#[derive(Clone, Copy, Debug)]
pub struct AskLimited<S> {
    inner: S,
    limit: Duration,
}

impl<S, B> Service<Request<B>> for AskLimited<S>
where
    S: Service<Request<B>, Response: IntoResponse>,
{
    type Response = Response;
    type Error = S::Error;
    type Future = AskLimitedFuture<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> AskLimitedFuture<S::Future> {
        AskLimitedFuture {
            handler: timeout(self.limit, self.inner.call(request)),
            limit: self.limit,
        }
    }
}

pin_project! {
    /// The response of an [`AskLimited`] service.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are awaited"]
    pub struct AskLimitedFuture<F> {
        #[pin]
        handler: Timeout<F>,
        limit: Duration,
    }
}

impl<F, R, E> Future for AskLimitedFuture<F>
where
    F: Future<Output = Result<R, E>>,
    R: IntoResponse,
{
    type Output = Result<Response, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        Poll::Ready(match ready!(this.handler.poll(context)) {
            Ok(handled) => handled.map(IntoResponse::into_response),
            Err(_elapsed) => {
                let after = *this.limit;
                Ok(Problem::Ask(AskError::TimedOut { after }).into_response())
            }
        })
    }
}
