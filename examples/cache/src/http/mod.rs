//! The server.
//!
//! | path | what |
//! |---|---|
//! | `GET /:page` | the page with this number; `x-cache` says whether it was there |
//! | `GET /_alive` | whether it lives |
//! | `GET /_stats` | [`Stats`] as JSON: hits, misses, entries, times, the heap's pauses |
//! | `GET /_audit` | [`Audit`] as JSON; for when nobody asks for pages |
//! | `POST /_stop` | answers what has been asked, and ends |
//!
//! A page goes out as it is: the body is made of the reply, which is a counted reference to the object in the cache's heap, and is given up when the
//! socket has taken the bytes. Nobody copies them on the way but the system.

mod problem;
mod server;
mod service;

pub use problem::Problem;
pub use server::{BindError, Server};
pub use service::{PATIENCE, Service};

use crate::audit::Audit;
use crate::stats::Stats;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};

/// Says whether a page was in the cache: `hit` or `miss`.
pub const FOUND_HEADER: HeaderName = HeaderName::from_static("x-cache");

/// All paths.
pub fn router(service: Service) -> Router {
    Router::new()
        .route("/{page}", get(page))
        .route("/_alive", get(async || "alive"))
        .route("/_stats", get(stats))
        .route("/_audit", get(audit))
        .route("/_stop", post(stop))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "there is nothing here"))
        .with_state(service)
}

async fn page(
    State(service): State<Service>,
    Path(page): Path<String>,
) -> Result<Response, Problem> {
    let title = page.parse().map_err(|_| {
        Problem::new(
            StatusCode::NOT_FOUND,
            "pages are numbers, as in /17".to_owned(),
        )
    })?;
    let served = service.get(title).await?;
    let found = HeaderValue::from_static(served.found.name());
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    // Not a copy, but the owner of the bytes.
    let body = Body::from(Bytes::from_owner(served.html));
    Ok(([(header::CONTENT_TYPE, html), (FOUND_HEADER, found)], body).into_response())
}

async fn stats(State(service): State<Service>) -> Result<Json<Stats>, Problem> {
    Ok(Json(service.stats().await?))
}

async fn audit(State(service): State<Service>) -> Result<Json<Audit>, Problem> {
    Ok(Json(service.audit().await?))
}

async fn stop(State(service): State<Service>) -> &'static str {
    service.stop();
    "ends"
}
