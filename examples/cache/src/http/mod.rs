//! The server.
//!
//! | path | what |
//! |---|---|
//! | `GET /:page` | the page with this number; `x-cache` says whether it was there |
//! | `GET /_alive` | whether it lives |
//! | `GET /_stats` | [`Stats`] as JSON: hits, misses, entries, times, the heap's pauses |
//! | `GET /_audit` | [`Audit`] as JSON; for times without requests for pages |
//! | `POST /_stop` | answers the requests in progress, and ends; not for pages of other origins |
//!
//! A page is sent without a copy: the body is made of the reply, which is a counted reference to
//! the object in the cache's heap. The reference is dropped when the socket has taken the bytes.
//! Only the operating system copies them.

mod own_host;
mod problem;
mod service;

pub use problem::Problem;
pub use service::{PATIENCE, Service};

use crate::audit::Audit;
use crate::stats::Stats;
use crate::store::Html;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use own_host::OwnHost;
use tower_http::csrf::CsrfLayer;
use vivant_axum::{AskLimit, HeldBody};

/// The header that says whether a page was in the cache: `hit` or `miss`.
pub const FOUND_HEADER: HeaderName = HeaderName::from_static("x-cache");

/// All paths.
pub fn router(service: Service) -> Router {
    Router::new()
        .route("/{page}", get(page).layer(AskLimit::new(PATIENCE)))
        .route("/_alive", get(async || "alive"))
        .route("/_stats", get(stats))
        .route("/_audit", get(audit))
        .route("/_stop", post(stop))
        .fallback(async || Problem::Unknown("there is nothing here"))
        // A page of another origin may not stop the server.
        .layer(CsrfLayer::new())
        .with_state(service)
}

async fn page(
    State(service): State<Service>,
    Path(page): Path<String>,
) -> Result<Response, Problem> {
    let not_a_number = |_| Problem::Unknown("pages are numbers, as in /17");
    let title = page.parse().map_err(not_a_number)?;
    let served = service.get(title).await?;
    let found = HeaderValue::from_static(served.found.name());
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    let body = body(served.html);
    Ok(([(header::CONTENT_TYPE, html), (FOUND_HEADER, found)], body).into_response())
}

/// Not a copy: the body owns the reference.
fn body(html: Html) -> Body {
    match html {
        Html::Held(html) => HeldBody(html).into(),
        Html::Counted(_) => Bytes::from_owner(html).into(),
    }
}

async fn stats(State(service): State<Service>) -> Result<Json<Stats>, Problem> {
    Ok(Json(service.stats().await?))
}

async fn audit(State(service): State<Service>) -> Result<Json<Audit>, Problem> {
    Ok(Json(service.audit().await?))
}

async fn stop(State(service): State<Service>, OwnHost { .. }: OwnHost) -> &'static str {
    service.stop();
    "ends"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Pages;
    use crate::store::Kind;
    use crate::stripes::{Settings, Stripes};
    use vivant::System;

    #[tokio::test]
    async fn the_body_of_a_response_is_the_page_in_the_heap() {
        let system = System::builder().workers(1).build();
        let pages = Pages {
            seed: 1,
            mean_bytes: 400,
        };
        let settings = Settings {
            kind: Kind::Graph,
            capacity: 3,
            stripes: 1,
            pages,
        };
        let service = Service::new(&system, Stripes::open(&system, settings));
        let served = service.get(7).await.expect("it lives");
        let response = page(State(service), Path("7".to_owned())).await;
        let response = response.expect("it is a page");
        assert_eq!(response.headers()[FOUND_HEADER], "hit");
        let body = axum::body::to_bytes(response.into_body(), usize::MAX)
            .await
            .unwrap();
        assert!(pages.is_page(7, &body));
        assert_eq!(body.as_ptr(), served.html.as_ref().as_ptr());
    }
}
