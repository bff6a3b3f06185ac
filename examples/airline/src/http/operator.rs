//! The operator: the one client that may replace the data.

use super::{Problem, Service};
use crate::id::Id;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

/// Proof that a request has the operator's token: `Authorization: Bearer …`. A browser sends this
/// header for no other site, so no page elsewhere can act as the operator.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl FromRequestParts<Service> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self, Problem> {
        let header = parts.headers.get(AUTHORIZATION);
        let token = header.and_then(|it| it.to_str().ok()?.strip_prefix("Bearer ")?.parse().ok());
        // An id is one number: how long the comparison takes says nothing about its digits.
        match (token, service.token()) {
            (Some(token), Some(own)) if Id::eq(&token, &own) => Ok(Operator(())),
            _ => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "for the operator only: send the token that `airline serve` prints, as \
                 Authorization: Bearer …",
            )),
        }
    }
}

/// A request without any token is any client's. A wrong token is an error.
impl OptionalFromRequestParts<Service> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        service: &Service,
    ) -> Result<Option<Self>, Problem> {
        match parts.headers.contains_key(AUTHORIZATION) {
            true => {
                let operator = <Self as FromRequestParts<_>>::from_request_parts(parts, service);
                Ok(Some(operator.await?))
            }
            false => Ok(None),
        }
    }
}
