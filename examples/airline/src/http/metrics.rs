//! `/metrics`: numbers of requests and of actors, for Prometheus.
//!
//! `axum_http_requests_*` are those of axum-prometheus, by path, method and status; `vivant_*` are
//! those of the runtime, by types of actors and behaviours.

use super::{Problem, Service};
use axum::extract::State;
use axum::http::StatusCode;
use axum_prometheus::{EndpointLabel, PrometheusMetricLayer, PrometheusMetricLayerBuilder};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;
use std::{fmt, thread};

/// Upper ends of the histograms' buckets, in seconds.
const BUCKETS: [f64; 14] = [
    1e-6, 5e-6, 2e-5, 1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.5, 2.5,
];
/// How often the recorder adds what was recorded to the buckets: without it, samples pile up until
/// the next scrape.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The recorder of this process.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    /// Installs the recorder. A system of actors that is built later records into it.
    ///
    /// # Errors
    ///
    /// This process has a recorder already.
    pub fn install() -> Result<Metrics, BuildError> {
        let handle = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)?
            .install_recorder()?;
        let kept = handle.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(UPKEEP_INTERVAL);
                kept.run_upkeep();
            }
        });
        Ok(Metrics(handle))
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// Counts requests by route. A path without a route is counted with all others of them, so that no
/// client can make names of metrics.
pub(super) fn layer() -> PrometheusMetricLayer<'static> {
    let none = |_: &str| "none".to_owned();
    PrometheusMetricLayerBuilder::new()
        .with_endpoint_label_type(EndpointLabel::MatchedPathWithFallbackFn(none))
        .build()
}

pub(super) async fn metrics(State(service): State<Service>) -> Result<String, Problem> {
    let none = || Problem::new(StatusCode::NOT_FOUND, "this service records no metrics");
    let Metrics(handle) = service.recorder().ok_or_else(none)?;
    Ok(handle.render())
}
