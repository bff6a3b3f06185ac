//! Acme Air's REST API, and a web page.
//!
//! - [`router`]: which path leads where.
//! - [`Service`]: the airline, and how handlers ask it.
//! - [`Problem`]: answers to requests that cannot be served; [`Session`]: the cookie; [`Operator`]:
//!   the operator's token.
//! - [`Metrics`], [`AccessLog`]: what an operator sees of it.
//! - one module for each first word of a path: `login`, `flights`, `bookings`, `customers`,
//!   `config`; `page` is the web page.
//!
//! Handlers are tokio tasks without state. Each asks one actor and writes down its answer.

mod access_log;
mod audit;
mod body;
mod bookings;
mod config;
mod customers;
mod flights;
mod login;
mod metrics;
mod operator;
mod page;
mod problem;
mod service;
mod session;

pub use access_log::AccessLog;
pub use body::{Form, Json, Path, Query};
pub use metrics::Metrics;
pub use operator::Operator;
pub use problem::Problem;
pub use service::{BODY_PATIENCE, PATIENCE, Service};
pub use session::Session;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode, Uri};
use axum::routing::{get, post};
use tower_http::csrf::CsrfLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// The largest body: a profile has a few hundred bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// The path prefix of the API in the original's load plan, besides `/rest/api`.
const CONTEXT_ROOT: &str = "/acmeair-webapp";

/// All paths.
pub fn router(service: Service) -> Router {
    let api = api();
    let (log, metrics) = (service.log(), service.recorder().is_some());
    let router = Router::new()
        .route("/", get(page::page))
        .route("/metrics", get(metrics::metrics))
        .route("/audit", get(audit::audit))
        .nest("/rest/api", api.clone())
        .nest(&format!("{CONTEXT_ROOT}/rest/api"), api)
        .fallback(unknown)
        .method_not_allowed_fallback(not_allowed)
        // A page of another origin may not act for a customer that is logged in.
        .layer(CsrfLayer::new())
        .layer(RequestBodyTimeoutLayer::new(service.body_patience()))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(service);
    let router = match metrics {
        true => router.layer(metrics::layer()),
        false => router,
    };
    log.layered(router)
}

fn api() -> Router<Service> {
    Router::new()
        .route("/login", post(login::log_in))
        .route("/login/logout", get(login::log_out))
        .route("/flights/queryflights", post(flights::query))
        .route("/bookings/bookflights", post(bookings::book))
        .route("/bookings/cancelbooking", post(bookings::cancel))
        .route("/bookings/byuser/{user}", get(bookings::by_user))
        .route(
            "/customer/byid/{user}",
            get(customers::view).post(customers::update),
        )
        .route("/config/runtime", get(config::runtime))
        .route("/config/dataServices", get(config::data_services))
        .route(
            "/config/activeDataService",
            get(config::active_data_service),
        )
        .route("/config/countBookings", get(config::count_bookings))
        .route("/config/countCustomers", get(config::count_customers))
        .route("/config/countSessions", get(config::count_sessions))
        .route("/config/countFlights", get(config::count_flights))
        .route("/config/countFlightSegments", get(config::count_segments))
        .route("/config/countAirports", get(config::count_airports))
        .route("/loader/load", get(config::load))
        .route("/loader/query", get(config::query))
        .route("/checkstatus", get(config::check_status))
}

async fn unknown(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("there is nothing at {}", uri.path()),
    )
}

async fn not_allowed(method: Method, uri: Uri) -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{} does not take {method}", uri.path()),
    )
}
