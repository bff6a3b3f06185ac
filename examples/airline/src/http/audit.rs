//! `/audit`: whether the records of flights and customers agree.

use super::{Operator, Service};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

/// 200 if the audit holds, 500 if it has a finding. For the operator, because it asks every actor.
///
/// A booking that is in progress may show as a seat without a booking: a finding counts if it is
/// there the next time too.
pub(super) async fn audit(
    State(service): State<Service>,
    Operator { .. }: Operator,
) -> (StatusCode, Json<Value>) {
    let audit = service.airline().audit(None).await;
    let status = match audit.holds() {
        true => StatusCode::OK,
        false => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, Json(audit.json()))
}
