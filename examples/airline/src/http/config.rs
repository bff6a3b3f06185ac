//! `/config`, `/loader` and `/checkstatus`: without a session. To replace loaded data takes the
//! operator's token.

use super::{Operator, Problem, Query, Service};
use crate::data::Airport;
use crate::desk::Refusal;
use crate::directory::Directory;
use crate::manager::CUSTOMERS_MAX;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) async fn runtime() -> Json<Value> {
    Json(json!([
        { "name": "Runtime", "description": "Vivant" },
        { "name": "vivant", "description": env!("CARGO_PKG_VERSION") },
    ]))
}

pub(super) async fn data_services() -> Json<Value> {
    Json(json!([{ "name": "actors", "description": "Vivant actors, in memory" }]))
}

pub(super) async fn active_data_service() -> &'static str {
    "actors"
}

pub(super) async fn count_bookings(State(service): State<Service>) -> Result<String, Problem> {
    let manager = service.airline().manager();
    let count = service.request(manager.count_bookings()).await?;
    Ok(count.to_string())
}

pub(super) async fn count_sessions(State(service): State<Service>) -> Result<String, Problem> {
    let manager = service.airline().manager();
    let count = service.request(manager.count_sessions()).await?;
    Ok(count.to_string())
}

async fn directory(service: &Service) -> Result<Option<Arc<Directory>>, Problem> {
    service.ask(service.airline().manager().directory()).await
}

async fn count(service: &Service, of: fn(&Directory) -> usize) -> Result<String, Problem> {
    let directory = directory(service).await?;
    Ok(directory.map_or(0, |it| of(&it)).to_string())
}

pub(super) async fn count_customers(State(service): State<Service>) -> Result<String, Problem> {
    count(&service, |it| it.customers().len()).await
}

pub(super) async fn count_flights(State(service): State<Service>) -> Result<String, Problem> {
    count(&service, |it| it.flights().len()).await
}

pub(super) async fn count_segments(State(service): State<Service>) -> Result<String, Problem> {
    count(&service, |it| it.timetable().network().segments().len()).await
}

pub(super) async fn count_airports(State(service): State<Service>) -> Result<String, Problem> {
    count(&service, |_| Airport::destinations().count()).await
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Load {
    num_customers: Option<u32>,
}

/// Loads data. Only the operator may replace loaded ones: the bookings and sessions are lost.
pub(super) async fn load(
    State(service): State<Service>,
    operator: Option<Operator>,
    Query(Load { num_customers }): Query<Load>,
) -> Result<&'static str, Problem> {
    let customers = num_customers.unwrap_or(service.customers_to_load());
    if customers > CUSTOMERS_MAX {
        let reason = format!("numCustomers is {customers}, more than {CUSTOMERS_MAX}");
        return Err(Problem::malformed(reason));
    }
    let manager = service.airline().manager();
    // Loading takes as long as it takes: no limit here, and no answer before it is done.
    let loaded = match operator {
        Some(Operator { .. }) => manager.load(customers).ask().await?,
        None => manager.load_once(customers).ask().await?,
    };
    loaded.map_err(|refusal: Refusal| Problem::from(refusal))?;
    Ok("Database Finished Loading")
}

/// The number of loaded customers; before the loading, the number to load.
pub(super) async fn query(State(service): State<Service>) -> Result<String, Problem> {
    let directory = directory(&service).await?;
    let to_load = service.customers_to_load() as usize;
    let count = directory.map_or(to_load, |it| it.customers().len());
    Ok(count.to_string())
}

pub(super) async fn check_status() -> &'static str {
    "OK"
}
